/** An unknown value: a dash, with the reason on hover and focus. It is never shown as 0. */
export function Unknown({ reason }: { readonly reason: string }) {
  return (
    <button type="button" class="unknown" title={reason} aria-label={`Unknown: ${reason}`}>
      –
    </button>
  );
}

/** The title of an event, whose dates are never broken at their hyphens. */
export function Title({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(/(\b\d{4}-\d{2}-\d{2}\b)/).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <span key={index} class="whole">
            {part}
          </span>
        ),
      )}
    </>
  );
}

interface CodeProps {
  readonly label: string;
  /** The field of the REST response, or `code`. */
  readonly field: string;
  readonly text: string;
}

/** Text in a fixed font, which wraps. */
export function Code({ label, field, text }: CodeProps) {
  return (
    <section class="code" aria-label={label}>
      <pre data-field={field}>{text}</pre>
    </section>
  );
}

interface CodeProps {
  readonly label: string;
  /** The field of the REST response, or `code`. */
  readonly field: string;
  readonly text: string;
}

/** Text in a fixed font, which wraps and scrolls within its own box. */
export function Code({ label, field, text }: CodeProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <section class="code" aria-label={label} tabIndex={0}>
      <pre data-field={field}>{text}</pre>
    </section>
  );
}

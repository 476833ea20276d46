/** Colours of the theme for the canvas. */

/** A colour of the theme, as the canvas understands it; opaque, or to a part in per cent. */
export type ColorOf = (property: string, percent?: number) => string;

/** Returns the colours that custom properties have in the current theme. */
export function colorsOf(box: HTMLElement): ColorOf {
  const known = new Map<string, string>();
  return (property, percent = 100) => {
    const mixed = `color-mix(in srgb, var(${property}) ${percent}%, transparent)`;
    let color = known.get(mixed);
    if (color === undefined) {
      const probe = document.createElement('span');
      probe.style.color = mixed;
      box.append(probe);
      color = getComputedStyle(probe).color;
      probe.remove();
      known.set(mixed, color);
    }
    return color;
  };
}

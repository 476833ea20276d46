/** Words as they are compared: lower case, without accents, articles and marks. */
const NO_ACCENT = /[\u0300-\u036f]/g;
/** The points of `U.S.`. */
const DOTTED = /\b([A-Za-z])\.(?=[A-Za-z]\b)/g;
const FILLERS = new Set(['the', 'a', 'an', 'will', 'of', 's']);

/** A name for comparison: `Andrónico Rodríguez` is `andronico rodriguez`. */
export function plainName(text: string): string {
  return plainWords(text).join(' ');
}

/** The words of a text for comparison, in order. */
export function plainWords(text: string): string[] {
  const words =
    text
      .normalize('NFD')
      .replace(NO_ACCENT, '')
      .replace(DOTTED, '$1')
      .toLowerCase()
      .match(/[a-z0-9]+(?:\.\d+)?/g) ?? [];
  return words.filter((word) => !FILLERS.has(word));
}

/** The year that a venue_c ticker names, `-25-` or `-25DEC31`; null where it names none. */
export function tickerYear(venue: string, marketId: string | null): string | null {
  const digits = venue === 'venue_c' ? /-(\d\d)(?:-|$|[A-Z]{3}\d\d)/.exec(marketId ?? '')?.[1] : undefined;
  return digits === undefined ? null : `20${digits}`;
}

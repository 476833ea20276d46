/** Characters with several spellings: symbols for words, typographic dashes and quotes. */
const SPECIAL = /[‐-―−‘’“”<>≤≥\s]{2,}|[‐-―−‘’“”<>≤≥\t\n]/;

/** Returns a title in uniform spelling without its final mark: `>=` becomes `at least`, a long dash a short one. */
export function cleanTitle(text: string): string {
  let clean = text;
  if (SPECIAL.test(text)) {
    clean = text
      .replace(/[‐-―−]/g, '-')
      .replace(/[‘’]/g, "'")
      .replace(/[“”]/g, '"')
      .replace(/\s*(?:>=|≥)\s*/g, ' at least ')
      .replace(/\s*(?:<=|≤)\s*/g, ' at most ')
      .replace(/\s*>\s*/g, ' above ')
      .replace(/\s*<\s*/g, ' below ')
      .replace(/\s+/g, ' ');
  }
  return clean.replace(/^\s+|[\s?!.]+$/g, '');
}

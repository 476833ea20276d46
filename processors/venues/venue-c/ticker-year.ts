/** Returns the year in a ticker, `-25-` or `-25DEC31`; null without one. */
export function tickerYear(ticker: string): string | null {
  const digits = /-(\d\d)(?:-|$|[A-Z]{3}\d\d)/.exec(ticker)?.[1];
  return digits === undefined ? null : `20${digits}`;
}

const BARS = '▁▂▃▄▅▆▇█';

/** Draws values as a line of bars, scaled from the lowest to the highest; empty without values. */
export function sparkline(values: readonly number[]): string {
  if (values.length === 0) return '';
  const low = Math.min(...values);
  const span = Math.max(...values) - low;
  return values.map((value) => BARS[span === 0 ? 0 : Math.round(((value - low) / span) * (BARS.length - 1))]).join('');
}

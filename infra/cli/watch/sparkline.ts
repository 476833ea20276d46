const BARS = '▁▂▃▄▅▆▇█';

/** A series as a line of bars, lowest to highest; empty for no values. */
export function sparkline(values: readonly number[]): string {
  if (values.length === 0) return '';
  const low = Math.min(...values);
  const span = Math.max(...values) - low;
  return values.map((value) => BARS[span === 0 ? 0 : Math.round(((value - low) / span) * (BARS.length - 1))]).join('');
}

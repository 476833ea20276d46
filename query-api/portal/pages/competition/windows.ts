/** The windows of stats, values and profits, as parameters of their routes. */
export const WINDOWS = [
  ['1W', 'Week'],
  ['1D', 'Day'],
  ['1M', 'Month'],
  ['ALL', 'All time'],
] as const;

const DAY_MS = 86_400_000;
const LENGTHS: Readonly<Record<string, number>> = { '1D': DAY_MS, '1W': 7 * DAY_MS, '1M': 30 * DAY_MS };
/** Starts are multiples of it, so that a page which is read again within it has the same window. */
const STEP_MS = 300_000;

/** The start of a window, ISO-8601; null for all time. */
export function startOf(window: string, now: number): string | null {
  const length = LENGTHS[window];
  return length === undefined ? null : new Date(Math.floor((now - length) / STEP_MS) * STEP_MS).toISOString();
}

import { DAY_MS } from '#schemas/domain/candles/daily';

/** Start of the UTC day of a time, unix ms. */
export function startOfDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}

/** The UTC day of a time as YYYY-MM-DD. */
export function dayText(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

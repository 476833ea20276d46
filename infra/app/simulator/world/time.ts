/** Origin of the simulated time, and New York time, which venue_b uses in questions. */

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Start of the simulated time, from which events and blocks are numbered. Start of a UTC day. */
export const ORIGIN_MS = Date.UTC(2020, 5, 1);

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Day of the month of the nth Sunday. */
function sunday(year: number, month: number, nth: number): number {
  const first = new Date(Date.UTC(year, month, 1)).getUTCDay();
  return 1 + ((7 - first) % 7) + 7 * (nth - 1);
}

/**
 * New York's offset from UTC: -4 h from the second Sunday of March, 07:00 UTC, to the first of November, 06:00 UTC,
 * else -5 h.
 */
export function newYorkOffsetMs(atMs: number): number {
  const year = new Date(atMs).getUTCFullYear();
  const begins = Date.UTC(year, 2, sunday(year, 2, 2), 7);
  const ends = Date.UTC(year, 10, sunday(year, 10, 1), 6);
  return (atMs >= begins && atMs < ends ? -4 : -5) * HOUR_MS;
}

/** 12:00 in New York on a calendar day (days since 1970), unix ms. */
export function newYorkNoon(day: number): number {
  const guess = day * DAY_MS + 17 * HOUR_MS;
  return day * DAY_MS + 12 * HOUR_MS - newYorkOffsetMs(guess);
}

export interface NewYorkTime {
  /** `November` */
  readonly month: string;
  readonly day: number;
  readonly year: number;
  /** `12:00 PM` */
  readonly clock: string;
  /** `3PM`, for whole hours. */
  readonly hour: string;
}

/** Formats a time in New York. */
export function newYorkTime(atMs: number): NewYorkTime {
  const local = new Date(atMs + newYorkOffsetMs(atMs));
  const hours = local.getUTCHours();
  const twelve = hours % 12 === 0 ? 12 : hours % 12;
  const half = hours < 12 ? 'AM' : 'PM';
  return {
    month: MONTHS[local.getUTCMonth()]!,
    day: local.getUTCDate(),
    year: local.getUTCFullYear(),
    clock: `${twelve}:${String(local.getUTCMinutes()).padStart(2, '0')} ${half}`,
    hour: `${twelve}${half}`,
  };
}

/** `YYYYMMDD-HHMM` in UTC, the format of venue_a's expiries. */
export function compactUtc(atMs: number): string {
  const iso = new Date(atMs).toISOString();
  return `${iso.slice(0, 10).replaceAll('-', '')}-${iso.slice(11, 13)}${iso.slice(14, 16)}`;
}

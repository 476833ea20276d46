/** Calendar days and wall times in a named zone, daylight saving included. Days are `YYYY-MM-DD` text. */

/** Zone in which US venues state their times as `ET`, `EST` or `EDT`. */
export const NEW_YORK = 'America/New_York';
export const UTC = 'UTC';

const DAY_MS = 86_400_000;
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formatters.set(zone, formatter);
  }
  return formatter;
}

const HOUR_MS = 3_600_000;
/** Offsets by zone and hour: asking the calendar costs more than all the rest of a reading. Emptied when it is full. */
const offsets = new Map<string, number>();
const OFFSETS_MAX = 5000;

/** What the wall clock of a zone shows, as if it were UTC, in ms. Clocks are changed at full hours. */
function wallTime(ms: number, zone: string): number {
  if (zone === UTC) return ms;
  const hour = Math.floor(ms / HOUR_MS);
  const key = `${zone}${hour}`;
  let offset = offsets.get(key);
  if (offset === undefined) {
    if (offsets.size >= OFFSETS_MAX) offsets.clear();
    offset = askWallTime(hour * HOUR_MS, zone) - hour * HOUR_MS;
    offsets.set(key, offset);
  }
  return ms + offset;
}

function askWallTime(ms: number, zone: string): number {
  const part: Record<string, number> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(ms)) part[type] = Number(value);
  return Date.UTC(part.year!, part.month! - 1, part.day!, part.hour!, part.minute!, part.second!);
}

/**
 * Every unix ms at which the zone's clock shows `minutes` after midnight of `day`, in order: none in the hour that the
 * clock skips in spring, two in the hour that it shows twice in autumn.
 */
export function momentsAt(day: string, minutes: number, zone: string): number[] {
  const wall = Date.parse(`${day}T00:00:00Z`) + minutes * 60_000;
  if (zone === UTC) return [wall];
  const moments = [withOffsetAt(wall - DAY_MS, wall, zone), withOffsetAt(wall + DAY_MS, wall, zone)];
  return [...new Set(moments)].filter((ms) => wallTime(ms, zone) === wall);
}

/** The moment of a wall time if the zone's offset is the one that holds around `ms`. */
function withOffsetAt(ms: number, wall: number, zone: string): number {
  return wall - (wallTime(ms, zone) - ms);
}

/**
 * The unix ms at which the zone's clock shows `minutes` after midnight of `day`. An hour that the clock skips in spring
 * is taken as the same moment counted from before the change; one shown twice in autumn as the first.
 */
export function zonedTime(day: string, minutes: number, zone: string): number {
  const wall = Date.parse(`${day}T00:00:00Z`) + minutes * 60_000;
  return momentsAt(day, minutes, zone)[0] ?? withOffsetAt(wall - DAY_MS, wall, zone);
}

/**
 * The one moment at which the zone's clock shows that, or null: it may show it twice, or not at all. `isDaylight` tells
 * which of the zone's two times is said (`EDT`, `EST`), null that none is (`ET`).
 */
export function momentAt(day: string, minutes: number, zone: string, isDaylight: boolean | null): number | null {
  const moments = momentsAt(day, minutes, zone).filter(
    (ms) => isDaylight === null || isDaylight === isDaylightTime(ms, zone),
  );
  return moments.length === 1 ? moments[0]! : null;
}

/** The calendar day of a moment in a zone. */
export function dayOf(ms: number, zone: string): string {
  return new Date(wallTime(ms, zone)).toISOString().slice(0, 10);
}

/** True if a zone of the northern half of the world has daylight time then: its clock is ahead of that of midwinter. */
export function isDaylightTime(ms: number, zone: string): boolean {
  const winter = Date.UTC(new Date(ms).getUTCFullYear(), 0, 15);
  return wallTime(ms, zone) - ms > wallTime(winter, zone) - winter;
}

/** The day as text, or null where the calendar has no such day. `month` counts from 1. */
export function makeDay(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.toISOString().slice(0, 10);
}

/** The last day of a month; `month` counts from 1. */
export function lastDayOfMonth(year: number, month: number): string {
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}

/** The day `count` days later, or earlier for a negative count. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}

/** Days from `a` to `b`. */
export function daysBetween(a: string, b: string): number {
  return (Date.parse(`${b}T00:00:00Z`) - Date.parse(`${a}T00:00:00Z`)) / DAY_MS;
}

/** 0 for Sunday to 6 for Saturday. */
export function weekdayOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay();
}

/** Calculates calendar days and wall times in a named zone, with daylight saving. Days are `YYYY-MM-DD` text. */

/** Zone of the times that US venues state as `ET`, `EST` or `EDT`. */
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
/**
 * Cache of offsets by zone and hour, since formatting costs more than the rest of a recognition. Cleared when it is
 * full.
 */
const offsets = new Map<string, number>();
const OFFSETS_MAX = 5000;

/** Returns the wall time of a zone in ms, as if it were UTC. Clocks are changed at full hours. */
function wallTime(ms: number, zone: string): number {
  if (zone === UTC) return ms;
  const hour = Math.floor(ms / HOUR_MS);
  const key = `${zone}${hour}`;
  let offset = offsets.get(key);
  if (offset === undefined) {
    if (offsets.size >= OFFSETS_MAX) offsets.clear();
    offset = formatWallTime(hour * HOUR_MS, zone) - hour * HOUR_MS;
    offsets.set(key, offset);
  }
  return ms + offset;
}

function formatWallTime(ms: number, zone: string): number {
  const part: Record<string, number> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(ms)) part[type] = Number(value);
  return Date.UTC(part.year!, part.month! - 1, part.day!, part.hour!, part.minute!, part.second!);
}

/**
 * Returns every unix ms at which the zone's clock shows `minutes` after midnight of `day`, in order: none in the hour
 * that the clock skips in spring, two in the hour that it shows twice in autumn.
 */
function momentsAt(day: string, minutes: number, zone: string): number[] {
  const wall = Date.parse(`${day}T00:00:00Z`) + minutes * 60_000;
  if (zone === UTC) return [wall];
  const moments = [withOffsetAt(wall - DAY_MS, wall, zone), withOffsetAt(wall + DAY_MS, wall, zone)];
  return [...new Set(moments)].filter((ms) => wallTime(ms, zone) === wall);
}

/** Returns the moment of a wall time with the zone's offset at `ms`. */
function withOffsetAt(ms: number, wall: number, zone: string): number {
  return wall - (wallTime(ms, zone) - ms);
}

/**
 * Returns the unix ms at which the zone's clock shows `minutes` after midnight of `day`. A time that the clock skips in
 * spring is counted with the offset before the change; of a time shown twice in autumn the first moment is returned.
 */
export function zonedTime(day: string, minutes: number, zone: string): number {
  const wall = Date.parse(`${day}T00:00:00Z`) + minutes * 60_000;
  return momentsAt(day, minutes, zone)[0] ?? withOffsetAt(wall - DAY_MS, wall, zone);
}

/**
 * Returns the only moment at which the zone's clock shows that time, or null if it shows it twice or not at all.
 * `isDaylight` selects one of the zone's two times (`EDT`, `EST`); null selects neither (`ET`).
 */
export function momentAt(day: string, minutes: number, zone: string, isDaylight: boolean | null): number | null {
  const moments = momentsAt(day, minutes, zone).filter(
    (ms) => isDaylight === null || isDaylight === isDaylightTime(ms, zone),
  );
  return moments.length === 1 ? moments[0]! : null;
}

/** Returns the calendar day of a moment in a zone. */
export function dayOf(ms: number, zone: string): string {
  return new Date(wallTime(ms, zone)).toISOString().slice(0, 10);
}

/** True if a zone of the northern hemisphere has daylight time at that moment: its clock is ahead of midwinter's. */
function isDaylightTime(ms: number, zone: string): boolean {
  const winter = Date.UTC(new Date(ms).getUTCFullYear(), 0, 15);
  return wallTime(ms, zone) - ms > wallTime(winter, zone) - winter;
}

/** Returns the day as text, or null if the calendar has no such day. `month` counts from 1. */
export function makeDay(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.toISOString().slice(0, 10);
}

/** Returns the last day of a month; `month` counts from 1. */
export function lastDayOfMonth(year: number, month: number): string {
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}

/** Returns the day `count` days later, or earlier for a negative count. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the number of days from `a` to `b`. */
export function daysBetween(a: string, b: string): number {
  return (Date.parse(`${b}T00:00:00Z`) - Date.parse(`${a}T00:00:00Z`)) / DAY_MS;
}

/** Returns the weekday, 0 for Sunday to 6 for Saturday. */
export function weekdayOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay();
}

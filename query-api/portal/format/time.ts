/** Texts of times, in UTC or in the zone of the browser. */

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

function partsOf(ms: number, isUtc: boolean) {
  // A local time is read as UTC after its offset was added.
  const date = new Date(isUtc ? ms : ms - new Date(ms).getTimezoneOffset() * 60_000);
  const day = `${date.getUTCFullYear()}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`;
  const clock = `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}`;
  return { day, clock, millis: pad(date.getUTCMilliseconds(), 3) };
}

/** 12:10:05 */
export function clockText(ms: number, isUtc: boolean): string {
  return partsOf(ms, isUtc).clock;
}

/** 2026-01-15 12:10:05 */
export function momentText(ms: number, isUtc: boolean): string {
  const { day, clock } = partsOf(ms, isUtc);
  return `${day} ${clock}`;
}

/** 2026-01-15 12:10:05.123 UTC */
export function exactText(ms: number, isUtc: boolean): string {
  const { day, clock, millis } = partsOf(ms, isUtc);
  return `${day} ${clock}.${millis} ${isUtc ? 'UTC' : 'local time'}`;
}

const UNITS: readonly (readonly [number, string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
];

/** A length of time in its largest unit: 5 min. */
export function spanText(ms: number): string {
  const [unit, name] = UNITS.find(([unit]) => ms >= unit) ?? [1, 'ms'];
  return `${Math.floor(ms / unit)} ${name}`;
}

/** How long ago something was; clocks that differ by a little never give a time in the future. */
export function agoText(ms: number): string {
  return ms < 1_000 ? 'now' : `${spanText(ms)} ago`;
}

const DAY_SECONDS = 86_400;

/**
 * Texts of the ticks of a time axis, as exact as their distance. Below hours the first tick and each first tick of a day
 * name the day, in a second line.
 *
 * @param ticks unix seconds, ascending.
 * @param step distance of the ticks, s.
 */
export function tickTexts(ticks: readonly number[], step: number, isUtc: boolean): string[] {
  let named = '';
  return ticks.map((tick) => {
    const { day, clock } = partsOf(tick * 1_000, isUtc);
    const monthAndDay = day.slice(5);
    if (step >= DAY_SECONDS) return monthAndDay;
    const text = step >= 60 ? clock.slice(0, 5) : clock;
    if (day === named) return text;
    named = day;
    return `${text}\n${monthAndDay}`;
  });
}

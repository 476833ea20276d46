/** Parses times of day in titles and rules. */
import { NEW_YORK, UTC } from './calendar.ts';

/** A time of day with its zone. */
export interface TimeOfDay {
  readonly minutes: number;
  readonly zone: string;
  /** True for daylight time (`EDT`, `BST`), false for standard time (`EST`), null if the name does not state it. */
  readonly isDaylight: boolean | null;
  /** The words it was read from. */
  readonly words: string;
}

/** Abbreviations of each zone's time, standard time and daylight time; empty for none. */
const ABBREVIATIONS: Readonly<Record<string, readonly [any: string, standard: string, daylight: string]>> = {
  [NEW_YORK]: ['ET', 'EST', 'EDT'],
  'America/Chicago': ['CT', 'CST', 'CDT'],
  'America/Denver': ['MT', 'MST', 'MDT'],
  'America/Los_Angeles': ['PT', 'PST', 'PDT'],
  'Europe/London': ['', '', 'BST'],
  'Europe/Paris': ['', 'CET', 'CEST'],
  'Asia/Tokyo': ['JST', '', ''],
};
/** Other names of zones. */
const WORDS: readonly (readonly [pattern: string, zone: string])[] = [
  ['UTC', UTC],
  ['GMT', UTC],
  ['Eastern(?: Time)?', NEW_YORK],
  ['Central Time', 'America/Chicago'],
  ['Mountain Time', 'America/Denver'],
  ['Pacific(?: Time)?', 'America/Los_Angeles'],
  ['New York time', NEW_YORK],
  ['London time', 'Europe/London'],
  ['Tokyo time', 'Asia/Tokyo'],
];

interface Zone {
  readonly zone: string;
  readonly isDaylight: boolean | null;
}

const ZONES: ReadonlyMap<string, Zone> = new Map(
  Object.entries(ABBREVIATIONS).flatMap(([zone, words]) =>
    words.flatMap((word, nth) => (word === '' ? [] : [[word, { zone, isDaylight: nth === 0 ? null : nth === 2 }]])),
  ),
);

/** Matches the names of zones, inside a larger case-insensitive expression. No group. */
export const ZONE_NAME = `(?:${[...WORDS.map(([pattern]) => pattern), ...ZONES.keys()].join('|')})`;

const ZONE_WORD = String.raw`(?:in the |\()?(${ZONE_NAME})\b(?: timezone)?`;
const CLOCK_12 = new RegExp(String.raw`\b(\d{1,2})(?::(\d\d))?\s?([AP])\.?M\.?,? ${ZONE_WORD}`, 'gi');
const CLOCK_24 = new RegExp(String.raw`\b(\d{1,2}):(\d\d)(?::\d\d)? ${ZONE_WORD}`, 'gi');
const NAMED = new RegExp(String.raw`\b(noon|midnight),? ${ZONE_WORD}`, 'gi');
/** A quick test for any time of day, since most texts have none. */
const ANY_CLOCK = /\d:\d\d|\d\s?[ap]\.?m|noon|midnight/i;
const WORD_PATTERNS = WORDS.map(([pattern, zone]) => [new RegExp(`^${pattern}$`, 'i'), zone] as const);

/** Returns the zone with this name. */
function zoneOf(name: string): Zone {
  const abbreviated = ZONES.get(name.toUpperCase());
  if (abbreviated) return abbreviated;
  return { zone: WORD_PATTERNS.find(([pattern]) => pattern.test(name))![1], isDaylight: null };
}

/** Returns every time of day that a text states with its zone, without repeats. */
export function timesIn(text: string): TimeOfDay[] {
  if (!ANY_CLOCK.test(text)) return [];
  const found = new Map<string, TimeOfDay>();
  const add = (minutes: number, zoneWord: string, words: string) => {
    if (minutes < 0 || minutes >= 24 * 60) return;
    const { zone, isDaylight } = zoneOf(zoneWord);
    const key = `${minutes} ${zone}`;
    if (!found.has(key)) found.set(key, { minutes, zone, isDaylight, words });
  };
  for (const [words, hour, minute = '0', half, zone] of text.matchAll(CLOCK_12)) {
    const minutes = clockMinutes(hour!, minute, half!);
    if (minutes !== null) add(minutes, zone!, words);
  }
  for (const [words, hour, minute, zone] of text.matchAll(CLOCK_24))
    add(Number(hour) * 60 + Number(minute), zone!, words);
  for (const [words, name, zone] of text.matchAll(NAMED)) add(name!.toLowerCase() === 'noon' ? 720 : 0, zone!, words);
  return [...found.values()];
}

/** Returns minutes after midnight of a twelve-hour clock, or null for an invalid time. */
export function clockMinutes(hour: string, minute: string, half: string): number | null {
  if (Number(hour) < 1 || Number(hour) > 12 || Number(minute) > 59) return null;
  return (Number(hour) % 12) * 60 + Number(minute) + (/^p/i.test(half) ? 720 : 0);
}

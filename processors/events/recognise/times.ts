/** Times of day as titles and rules write them. */
import { NEW_YORK, UTC } from './calendar.ts';

/** A time of day with its zone. */
export interface TimeOfDay {
  readonly minutes: number;
  readonly zone: string;
  /** True for daylight time (`EDT`), false for standard time (`EST`), null where the zone's name leaves it open. */
  readonly isDaylight: boolean | null;
  /** The words it was read from. */
  readonly words: string;
}

const ZONE_WORD = String.raw`(?:in the |\()?(ET|EST|EDT|Eastern(?: Time)?|UTC|GMT)\b(?: timezone)?`;
const CLOCK_12 = new RegExp(String.raw`\b(\d{1,2})(?::(\d\d))?\s?([AP])\.?M\.?,? ${ZONE_WORD}`, 'gi');
const CLOCK_24 = new RegExp(String.raw`\b(\d{1,2}):(\d\d)(?::\d\d)? ${ZONE_WORD}`, 'gi');
const NAMED = new RegExp(String.raw`\b(noon|midnight),? ${ZONE_WORD}`, 'gi');
const ANY_ZONE = /\b(?:ES?D?T|Eastern|UTC|GMT)\b/i;

/** Every time of day that a text names together with its zone, without repeats. */
export function timesIn(text: string): TimeOfDay[] {
  if (!ANY_ZONE.test(text)) return [];
  const found = new Map<string, TimeOfDay>();
  const add = (minutes: number, zoneWord: string, words: string) => {
    if (minutes < 0 || minutes >= 24 * 60) return;
    const zone = /^(UTC|GMT)$/i.test(zoneWord) ? UTC : NEW_YORK;
    const key = `${minutes} ${zone}`;
    const isDaylight = /^E[SD]T$/i.test(zoneWord) ? /^EDT$/i.test(zoneWord) : null;
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

/** Minutes after midnight of a twelve-hour clock, or null for a time that it does not show. */
export function clockMinutes(hour: string, minute: string, half: string): number | null {
  if (Number(hour) < 1 || Number(hour) > 12 || Number(minute) > 59) return null;
  return (Number(hour) % 12) * 60 + Number(minute) + (/^p/i.test(half) ? 720 : 0);
}

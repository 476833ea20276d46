/** The minute at which a price question is decided. */
import { isCoin, isExchangeTraded } from './asset-names.ts';
import { dayOf, isDaylightTime, NEW_YORK, zonedTime } from './calendar.ts';
import type { MarketTexts, Semantics } from './question.ts';
import { type TimeOfDay, timesIn } from './times.ts';

/** The end of a day's last minute, where a touch question names the day alone. */
const END_OF_DAY: TimeOfDay = { minutes: 23 * 60 + 59, zone: NEW_YORK, isDaylight: null, words: 'end of the day' };
/** When venue_b's daily markets on coins are decided where their texts do not say (recorded rules of daily markets). */
const NOON: TimeOfDay = { minutes: 720, zone: NEW_YORK, isDaylight: null, words: "noon, the venue's custom" };
/** Regular trading on US exchanges ends at four in New York. */
const CLOSE: TimeOfDay = { minutes: 960, zone: NEW_YORK, isDaylight: null, words: "the exchange's close" };

/** A minute and where it was read. */
export interface Clock {
  readonly atMs: number | null;
  readonly words: string;
  readonly confidence: number;
}

/** What a title says of the moment. */
export interface Moment {
  readonly day: string;
  readonly time: TimeOfDay | null;
  readonly isVague: boolean;
  readonly semantics: Semantics;
  readonly underlying: string;
}

/** The minute: as the title says, else the rules, else the catalog's deadline, else custom. */
export function clockOf({ day, time, isVague, semantics, underlying }: Moment, texts: MarketTexts): Clock {
  const at = (found: TimeOfDay, confidence: number): Clock => ({
    atMs: zonedTime(day, found.minutes, found.zone),
    words: found.words,
    confidence,
  });
  if (time && !isClockOf(day, time))
    return { atMs: null, words: `${time.words}, not the clock of that day`, confidence: 0.8 };
  if (time) return at(time, 0.98);
  const told = distinctTimes(timesIn(texts.description), day);
  if (semantics === 'touch') {
    const last = told.find(({ minutes }) => minutes === END_OF_DAY.minutes);
    return last ? at(last, 0.98) : at(END_OF_DAY, 0.95);
  }
  if (told.length === 1 && isClockOf(day, told[0]!)) return at(told[0]!, 0.98);
  const { endTimeMs } = texts;
  if (endTimeMs !== null && dayOf(endTimeMs, NEW_YORK) === day) {
    return { atMs: endTimeMs, words: "the catalog's deadline", confidence: 0.95 };
  }
  if (texts.venue === 'venue_b' && told.length === 0 && !isVague) {
    if (isCoin(underlying)) return at(NOON, 0.9);
    if (isExchangeTraded(underlying)) return at(CLOSE, 0.9);
  }
  return { atMs: null, words: 'not told', confidence: 0.8 };
}

/** `EST` in summer may mean an hour later, or the time that New York's clocks show. */
function isClockOf(day: string, { isDaylight, minutes, zone }: TimeOfDay): boolean {
  return isDaylight === null || isDaylight === isDaylightTime(zonedTime(day, minutes, zone));
}

/** Times that are one moment, as noon in New York and 16:00 UTC, count once: the first one named. */
function distinctTimes(times: readonly TimeOfDay[], day: string): TimeOfDay[] {
  if (times.length < 2) return [...times];
  const moments = new Set<number>();
  return times.filter(({ minutes, zone }) => {
    // An evening in New York is the next day's night in UTC, so whole days do not tell times apart.
    const moment = zonedTime(day, minutes, zone) % 86_400_000;
    return !moments.has(moment) && moments.add(moment);
  });
}

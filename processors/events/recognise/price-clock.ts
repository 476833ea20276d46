/** Finds the minute at which a price question is decided. */
import { isExchangeTraded } from './asset-names.ts';
import { dayOf, momentAt, NEW_YORK, zonedTime } from './calendar.ts';
import { CLOSING_MINUTES, closingMinutes } from './exchange-calendar.ts';
import type { MarketTexts, Semantics } from './question.ts';
import { type TimeOfDay, timesIn } from './times.ts';

/** The last minute of a day, for a touch question that names only the day. */
const END_OF_DAY: TimeOfDay = { minutes: 23 * 60 + 59, zone: NEW_YORK, isDaylight: null, words: 'end of the day' };

/** A minute and the words that state it. */
export interface Clock {
  readonly atMs: number | null;
  readonly words: string;
  readonly confidence: number;
}

/** The moment as a title states it. */
export interface Moment {
  readonly day: string;
  readonly time: TimeOfDay | null;
  readonly isVague: boolean;
  readonly semantics: Semantics;
  readonly underlying: string;
}

/** Returns the minute from the title, else from the rules, else the catalog's deadline, else by custom. */
export function clockOf(moment: Moment, texts: MarketTexts): Clock {
  const clock = readClock(moment, texts);
  const { day, semantics, underlying } = moment;
  if (semantics === 'touch' || !isExchangeTraded(underlying)) return clock;
  const stated = timesIn(texts.description).map(({ minutes, zone }) => zonedTime(day, minutes, zone));
  const doubt = sessionDoubt(day, clock.atMs === null ? stated : [clock.atMs, ...stated]);
  return doubt === null ? clock : { atMs: null, words: `${clock.words}, ${doubt}`, confidence: 0.8 };
}

/**
 * Returns why the minute of a stock's price is uncertain, or null: the exchanges do not trade on that day, or they
 * close early and a stated moment (unix ms) is later, perhaps because its author did not know of the half day.
 */
export function sessionDoubt(day: string, moments: readonly number[]): string | null {
  const closing = closingMinutes(day);
  if (closing === null) return 'no trading on that day';
  const isLate = moments.some((ms) => ms > zonedTime(day, closing, NEW_YORK));
  return closing < CLOSING_MINUTES && isLate ? 'after the early close of that day' : null;
}

function readClock({ day, time, isVague, semantics, underlying }: Moment, texts: MarketTexts): Clock {
  const at = (found: TimeOfDay, confidence: number): Clock => {
    const atMs = momentOf(day, found);
    return atMs === null
      ? { atMs, words: `${found.words}, not one moment of that day`, confidence: 0.8 }
      : { atMs, words: found.words, confidence };
  };
  if (time) return at(time, 0.98);
  const stated = distinctTimes(timesIn(texts.description), day);
  if (semantics === 'touch') {
    const last = stated.find(({ minutes }) => minutes === END_OF_DAY.minutes);
    return last ? at(last, 0.98) : at(END_OF_DAY, 0.95);
  }
  if (stated.length === 1 && momentOf(day, stated[0]!) !== null) return at(stated[0]!, 0.98);
  const { endTimeMs } = texts;
  if (endTimeMs !== null && dayOf(endTimeMs, NEW_YORK) === day) {
    return { atMs: endTimeMs, words: "the catalog's deadline", confidence: 0.95 };
  }
  const usual = stated.length === 0 && !isVague ? texts.conventions.usualTime?.(underlying, day) : null;
  return usual ? at(usual, 0.9) : { atMs: null, words: 'not stated', confidence: 0.8 };
}

/**
 * Returns the moment of a time of day, or null if it is ambiguous. `EST` in summer may mean an hour later, or the time
 * that New York's clocks show. An hour that the clocks show twice in autumn needs a name that states which one; an hour
 * that they skip in spring has no moment.
 */
function momentOf(day: string, { isDaylight, minutes, zone }: TimeOfDay): number | null {
  return momentAt(day, minutes, zone, isDaylight);
}

/** Returns the times without repeats: of times with the same moment (noon in New York, 16:00 UTC) only the first. */
function distinctTimes(times: readonly TimeOfDay[], day: string): TimeOfDay[] {
  if (times.length < 2) return [...times];
  const moments = new Set<number>();
  return times.filter(({ minutes, zone }) => {
    // An evening in New York is the next day's night in UTC, so times that differ by full days are equal.
    const moment = zonedTime(day, minutes, zone) % 86_400_000;
    return !moments.has(moment) && moments.add(moment);
  });
}

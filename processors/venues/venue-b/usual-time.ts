/** When venue_b's daily price markets are resolved if their texts do not state it (recorded rules of daily markets). */
import { isCoin, isExchangeTraded } from '../../events/recognise/asset-names.ts';
import { NEW_YORK } from '../../events/recognise/calendar.ts';
import { closingMinutes } from '../../events/recognise/exchange-calendar.ts';
import type { TimeOfDay } from '../../events/recognise/times.ts';

const NOON: TimeOfDay = { minutes: 720, zone: NEW_YORK, isDaylight: null, words: "noon, the venue's custom" };

/** Returns noon for a coin, the close of the exchange for what is traded there, else null. */
export function usualTime(underlying: string, day: string): TimeOfDay | null {
  if (isCoin(underlying)) return NOON;
  const closing = isExchangeTraded(underlying) ? closingMinutes(day) : null;
  return closing === null ? null : { ...NOON, minutes: closing, words: "the exchange's close" };
}

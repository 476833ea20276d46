/** Reads questions about a price going up or down over a period: the strike is the price at its beginning. */
import { isCoin, isExchangeTraded, isKnownSymbol } from './asset-names.ts';
import { assetOf, contractOf } from './assets.ts';
import { addDays, dayOf, momentAt, NEW_YORK, zonedTime } from './calendar.ts';
import { cleanTitle } from './clean-title.ts';
import { parseDate } from './dates.ts';
import { contextOf } from './price-text.ts';
import { kindOnly, type MarketTexts, type Recognition } from './question.ts';
import { settlementSourceOf } from './settlement-source.ts';
import { clockMinutes } from './times.ts';

const UP_OR_DOWN = /^(?:will )?(.+?)( opens?)? up or down\b[\s:,-]*(?:on )?(.*)$/i;
const SPAN = /^(.+?),? (?:at )?(\d{1,2})(?::(\d\d))? ?([ap]m)? ?(?:-|to) ?(\d{1,2})(?::(\d\d))? ?([ap]m) E[SD]?T$/i;
const HOUR = /^(.+?),? (?:at )?(\d{1,2}) ?([ap]m) E[SD]?T$/i;
const NAMED_CLOCK = /\bE[SD]T$/i;
const NOON = 720;
const HOUR_MS = 3_600_000;

interface Window {
  readonly day: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Reads an up-or-down question, or returns null. Linkable only if both ends of its period are stated. */
export function readUpDown(texts: MarketTexts): Recognition | null {
  const [, subject, opens, time = ''] = UP_OR_DOWN.exec(cleanTitle(texts.title)) ?? [];
  if (subject === undefined) return null;
  const config = texts.fields.cryptoMarketConfig as { asset?: unknown } | undefined;
  const underlying = assetOf(subject) ?? (typeof config?.asset === 'string' ? config.asset.toUpperCase() : null);
  const evidence = { kind: 'up or down', underlying: subject, ...(time ? { time } : {}) };
  // The window of an exchange-traded asset depends on the exchange's calendar, which is not evaluated here.
  const isListed = underlying !== null && isExchangeTraded(underlying);
  // Days from noon to noon are a custom of coins.
  const hasNoon = underlying !== null && (isCoin(underlying) || !isKnownSymbol(underlying));
  const window = opens || isListed || contractOf(subject) !== '' ? null : readWindow(time, texts, hasNoon);
  return underlying === null || !window
    ? kindOnly('up_down', underlying, evidence)
    : upDown(underlying, window, settlementSourceOf(texts), evidence);
}

/** Creates the recognition of a window. Two windows are one question if both ends agree. */
export function upDown(
  underlying: string,
  { day, fromMs, toMs }: Window,
  settlementSource: string | null,
  evidence: Readonly<Record<string, string>>,
): Recognition {
  const from = new Date(fromMs).toISOString();
  return {
    ...kindOnly('up_down', underlying, evidence, { from, to: new Date(toMs).toISOString() }),
    deadline: { day, atMs: toMs },
    question: `${underlying}|${from}`,
    settlementSource,
    linkable: true,
  };
}

/** Parses `March 12, 5:20AM-5:25AM ET`, `January 20, 3PM ET` (that hour), `May 30` (from the noon before to noon). */
function readWindow(time: string, texts: MarketTexts, hasNoon: boolean): Window | null {
  const context = contextOf(texts);
  const zone = NAMED_CLOCK.exec(time)?.[0].toUpperCase();
  const isDaylight = zone === undefined ? null : zone === 'EDT';
  const [, date, h1, m1 = '0', half1, h2, m2 = '0', half2] = SPAN.exec(time) ?? [];
  if (date !== undefined) {
    const day = parseDate(date, context);
    const from = clockMinutes(h1!, m1, half1 ?? half2!);
    const to = clockMinutes(h2!, m2, half2!);
    if (day === null || from === null || to === null) return null;
    // In `11-12PM` the half of the day belongs to the end.
    if (half1 === undefined && from >= to) return from < 720 ? null : span(day, from - 720, to, isDaylight);
    return span(day, from, to > from ? to : to + 1440, isDaylight);
  }
  const [, onDay, hour, half] = HOUR.exec(time) ?? [];
  if (onDay !== undefined) {
    const day = parseDate(onDay, context);
    const from = clockMinutes(hour!, '0', half!);
    const fromMs = day === null || from === null ? null : momentAt(day, from, NEW_YORK, isDaylight);
    if (fromMs === null) return null;
    const toMs = fromMs + HOUR_MS;
    return { day: dayOf(toMs, NEW_YORK), fromMs, toMs };
  }
  if (!hasNoon) return null;
  const day = parseDate(time, context);
  if (day === null) return null;
  return { day, fromMs: zonedTime(addDays(day, -1), NOON, NEW_YORK), toMs: zonedTime(day, NOON, NEW_YORK) };
}

/** Returns the window between two times; null if either end is not exactly one moment by New York's clocks. */
function span(day: string, from: number, to: number, isDaylight: boolean | null): Window | null {
  const fromMs = momentAt(day, from, NEW_YORK, isDaylight);
  const end = to >= 1440 ? addDays(day, 1) : day;
  const toMs = momentAt(end, to % 1440, NEW_YORK, isDaylight);
  return fromMs === null || toMs === null ? null : { day: end, fromMs, toMs };
}

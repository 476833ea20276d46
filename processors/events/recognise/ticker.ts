/**
 * venue_c's markets: the ticker holds the strike and the hour (venue_c page). `KXBTCD-26JUL2907-T72299.99` is the price at
 * 7:00 New York time on 2026-07-29, `KXBTCMAXY-25-DEC31-129999.99` the highest price up to the end of 2025-12-31.
 */
import { addDecimals } from './amounts.ts';
import { assetOf } from './assets.ts';
import { makeDay, NEW_YORK, zonedTime } from './calendar.ts';
import { monthOf, timesIn } from './dates.ts';
import { kindOnly, type MarketTexts, type Recognition, type Strike } from './question.ts';

const AT_HOUR = /^KX([A-Z]+?)[DH]-(\d\d)([A-Z]{3})(\d\d)(\d\d)-T(\d+(?:\.\d+)?)$/;
const AT_DAY = /^KX([A-Z]+?)[DH]-(\d\d)([A-Z]{3})(\d\d)$/;
const EXTREME = /^KX([A-Z]+?)(MAX|MIN)Y-(\d\d)-?([A-Z]{3})(\d\d)-(\d+(?:\.\d+)?)$/;
const BUCKET = /^KX([A-Z]+?)[DH]?-\d\d[A-Z]{3}\d{4}-B\d/;
const RULE = /\babove (\d+(?:\.\d+)?) at (\d{1,2} [AP]M) (E[DS]?T)\b/i;

/** The sixty-second average of an index that decides venue_c's price markets. */
const INDEX_AVERAGE = 'sixty-second index average';

/** Reads a ticker, or gives null for another venue's market or another form. */
export function readTicker(texts: MarketTexts): Recognition | null {
  if (texts.venue !== 'venue_c' || texts.marketId === null) return null;
  return (
    readAtHour(texts.marketId) ??
    readAtDay(texts.marketId, texts.description) ??
    readExtreme(texts.marketId) ??
    readBucket(texts.marketId)
  );
}

function readAtHour(ticker: string): Recognition | null {
  const [, series, year, month, date, hour, strike] = AT_HOUR.exec(ticker) ?? [];
  if (strike === undefined) return null;
  const day = dayFrom(year!, month!, date!);
  return build(ticker, { series, day, minutes: Number(hour) * 60, strike, op: 'gte', semantics: 'at_time' });
}

/** The day alone is in the ticker; strike and hour are in the rules. */
function readAtDay(ticker: string, rules: string): Recognition | null {
  const [, series, year, month, date] = AT_DAY.exec(ticker) ?? [];
  const [, strike, clock, zone] = RULE.exec(rules) ?? [];
  const [time] = clock === undefined ? [] : timesIn(`${clock} ${zone?.length === 3 ? 'ET' : zone}`);
  if (series === undefined || time === undefined) return null;
  const day = dayFrom(year!, month!, date!);
  return build(ticker, { series, day, minutes: time.minutes, strike, op: 'gte', semantics: 'at_time' });
}

function readExtreme(ticker: string): Recognition | null {
  const [, series, edge, year, month, date, strike] = EXTREME.exec(ticker) ?? [];
  if (strike === undefined) return null;
  const op = edge === 'MAX' ? 'gte' : 'lte';
  return build(ticker, { series, day: dayFrom(year!, month!, date!), minutes: 1439, strike, op, semantics: 'touch' });
}

function readBucket(ticker: string): Recognition | null {
  const underlying = assetOf(BUCKET.exec(ticker)?.[1] ?? '');
  return underlying === null ? null : kindOnly('price_range', underlying, { kind: ticker });
}

function dayFrom(year: string, month: string, date: string): string | null {
  return makeDay(2000 + Number(year), monthOf(month), Number(date));
}

interface Parts extends Pick<Strike, 'op' | 'semantics'> {
  readonly series: string | undefined;
  readonly day: string | null;
  readonly minutes: number;
  readonly strike: string | undefined;
}

function build(ticker: string, { series = '', day, minutes, strike = '', op, semantics }: Parts): Recognition | null {
  const underlying = assetOf(series);
  if (underlying === null || day === null || minutes >= 1440) return null;
  // Strikes one step below a round number (`72299.99`) ask for that number or above.
  const nines = /^\d+\.\d*99$/.test(strike);
  const step = `0.${'0'.repeat(Math.max(0, (strike.split('.')[1]?.length ?? 1) - 1))}1`;
  return {
    kind: 'price_binary',
    underlying,
    strike: {
      underlying,
      threshold: addDecimals(strike, nines ? step : '0'),
      op,
      strict: !nines,
      semantics,
      scope: '',
    },
    deadline: { day, atMs: zonedTime(day, minutes, NEW_YORK) },
    settlementSource: INDEX_AVERAGE,
    confidence: 0.98,
    source: 'structured',
    linkable: true,
    evidence: { underlying: series, threshold: strike, op, time: ticker, settlementSource: INDEX_AVERAGE },
  };
}

/**
 * Reads venue_c's markets, whose ticker contains the strike and the hour (venue_c page). `KXBTCD-26JUL2907-T72299.99`
 * is the price at 7:00 New York time on 2026-07-29, `KXBTCMAXY-25-DEC31-129999.99` the highest price up to the end of
 * 2025-12-31. A field or a rule beside the ticker states what is missing in it.
 */
import { addDecimals, isLess } from '../../events/recognise/amounts.ts';
import { isExchangeTraded } from '../../events/recognise/asset-names.ts';
import { assetOf } from '../../events/recognise/assets.ts';
import { makeDay, momentAt, NEW_YORK } from '../../events/recognise/calendar.ts';
import { monthOf } from '../../events/recognise/dates.ts';
import { sessionDoubt } from '../../events/recognise/price-clock.ts';
import { statedComparison, statedMovement } from '../../events/recognise/price-verbs.ts';
import {
  kindOnly,
  type MarketTexts,
  type Recognition,
  type Strike,
  UNRECOGNISED,
} from '../../events/recognise/question.ts';
import { upDown } from '../../events/recognise/up-down.ts';
import { readStrike, rulesHour, type TickerStrike } from './ticker-strike.ts';

const DATE = String.raw`(\d\d)-?([A-Z]{3})(\d\d)`;
const AT = new RegExp(
  String.raw`^(?:KX)?([A-Z0-9]+?)([DHUW]?)-${DATE}(?:H?(\d\d)(\d\d)?)?(?:-([TB])(\d+(?:\.\d+)?))?$`,
);
const EXTREME = new RegExp(String.raw`^KX([A-Z0-9]+?)(MAX|MIN)Y-${DATE}-(\d+(?:\.\d+)?)$`);
const EXTREME_YEAR = /^KX([A-Z0-9]+?)(MAX|MIN)Y-(\d\d)(?:-(\d+(?:\.\d+)?))?$/;
const EXTREME_OTHER = /^KX([A-Z0-9]+?)(?:MAX|MIN)[A-Z]+-/;
const UP_DOWN = /^KX([A-Z0-9]+?)(\d\d)M-(\d\d)([A-Z]{3})(\d\d)(\d\d)(\d\d)(?:-\d+)?$/;
/** Doubt about the hour that New York's clocks show twice in autumn or skip in spring: a ticker is ambiguous then. */
const NOT_ONE_MOMENT = 'not one moment of that day';
const THIS_YEAR = /\bthis year\b/i;

/** Series with another name than their underlying. */
const SERIES: Readonly<Record<string, string>> = { INX: 'SPX', NASDAQ100: 'NDX', XAU: 'GOLD', XAG: 'SILVER' };

/** Settlement source of venue_c's price markets: the sixty-second average of an index. */
const INDEX_AVERAGE = 'sixty-second index average';

/** Reads a ticker; null for one of another form. */
export function readTicker(texts: MarketTexts): Recognition | null {
  const { marketId } = texts;
  if (marketId === null) return null;
  return readExtreme(marketId, texts) ?? readUpDown(marketId) ?? readAt(marketId, texts);
}

function readAt(ticker: string, texts: MarketTexts): Recognition | null {
  const [, name = '', suffix = '', year, month, date, hour, minute = '0', form, number] = AT.exec(ticker) ?? [];
  const own = seriesAsset(name);
  // The shortest name may lack a letter that looks like a suffix (`GOLD` is no `GOL` of days).
  const underlying = own ?? seriesAsset(name + suffix);
  if (year === undefined || underlying === null) return null;
  if (form === 'B') return kindOnly('price_range', underlying, { kind: ticker });
  const day = makeDay(2000 + Number(year), monthOf(month!), Number(date));
  const minutes = hour === undefined ? rulesHour(texts.description) : Number(hour) * 60 + Number(minute);
  const stated = readStrike(texts, number ?? null);
  // The first and last strikes of a range's series have one open side, which the ticker alone does not state.
  const strike = stated?.isStated || (own !== null && suffix !== '') ? stated : null;
  if (day === null || minutes === null || minutes >= 1440 || !strike) {
    return kindOnly('other', underlying, { kind: ticker, doubt: 'strike, side or time is not stated' });
  }
  return build(ticker, { underlying, day, minutes, strike, semantics: 'at_time' });
}

function readExtreme(ticker: string, texts: MarketTexts): Recognition | null {
  const dated = EXTREME.exec(ticker);
  const yearly = dated ? null : EXTREME_YEAR.exec(ticker);
  const [, name, edge, year = '', ...rest] = dated ?? yearly ?? [];
  if (name === undefined) return readOtherExtreme(ticker);
  const underlying = seriesAsset(name);
  const [month, date, number = null] = dated ? rest : ['DEC', '31', rest[0]];
  const day = makeDay(2000 + Number(year), monthOf(month!), Number(date));
  const strike = readStrike(texts, number);
  if (underlying === null || day === null || !strike) return null;
  if (THIS_YEAR.test(texts.title) && !day.endsWith('-12-31')) {
    return kindOnly('other', underlying, { kind: ticker, doubt: 'the title contradicts the ticker' });
  }
  const isUp = edge === 'MAX';
  return build(ticker, { underlying, day, minutes: 1439, strike: { ...strike, isUp }, semantics: 'touch' });
}

/** Reads highs and lows of months and weeks, whose tickers do not state where the period begins and ends. */
function readOtherExtreme(ticker: string): Recognition | null {
  const underlying = seriesAsset(EXTREME_OTHER.exec(ticker)?.[1] ?? '');
  return underlying === null
    ? null
    : kindOnly('other', underlying, { kind: ticker, doubt: 'the ticker does not state the period' });
}

/** Reads `KXBTC15M-26AUG170130-30`: the quarter of an hour up to 1:30. */
function readUpDown(ticker: string): Recognition | null {
  const [, name = '', length, year, month, date, hour, minute] = UP_DOWN.exec(ticker) ?? [];
  const underlying = seriesAsset(name);
  if (length === undefined || underlying === null) return null;
  const day = makeDay(2000 + Number(year), monthOf(month!), Number(date));
  if (day === null || Number(hour) > 23 || Number(minute) > 59) return null;
  const toMs = momentAt(day, Number(hour) * 60 + Number(minute), NEW_YORK, null);
  if (toMs === null) return kindOnly('up_down', underlying, { kind: ticker, doubt: NOT_ONE_MOMENT });
  const fromMs = toMs - Number(length) * 60_000;
  return upDown(underlying, { day, fromMs, toMs }, INDEX_AVERAGE, { kind: ticker });
}

function seriesAsset(name: string): string | null {
  return SERIES[name] ?? assetOf(name);
}

interface Parts extends Pick<Strike, 'semantics' | 'underlying'> {
  readonly day: string;
  readonly minutes: number;
  readonly strike: TickerStrike;
}

function build(ticker: string, { underlying, day, minutes, strike, semantics }: Parts): Recognition {
  const { number, isUp } = strike;
  // A strike one step below a round number (`72299.99`) means that number or above, or below it.
  const nines = /^\d+\.\d*99$/.test(number);
  const step = `0.${'0'.repeat(Math.max(0, (number.split('.')[1]?.length ?? 1) - 1))}1`;
  const threshold = addDecimals(number, nines ? step : '0');
  const op = isUp ? 'gte' : 'lte';
  const strict = nines ? !isUp : !strike.isInclusive;
  const stated = semantics === 'touch' ? statedMovement : statedComparison;
  const atMs = momentAt(day, minutes, NEW_YORK, null);
  const isSession = semantics === 'at_time' && isExchangeTraded(underlying);
  const doubt = atMs === null ? NOT_ONE_MOMENT : isSession ? sessionDoubt(day, [atMs]) : null;
  return {
    ...UNRECOGNISED,
    kind: 'price_binary',
    underlying,
    strike: { underlying, threshold, op, strict, semantics, scope: '' },
    deadline: { day, atMs: doubt === null ? atMs : null },
    settlementSource: INDEX_AVERAGE,
    confidence: doubt === null ? 0.98 : 0.8,
    source: 'structured',
    linkable: isLess('0', threshold),
    evidence: {
      underlying: ticker,
      threshold: strike.words,
      ...(strike.isStated ? { op: stated(isUp, !strict) } : {}),
      time: doubt === null ? ticker : `${ticker}, ${doubt}`,
      settlementSource: INDEX_AVERAGE,
    },
  };
}

/** Reads the candles of the markets of an event, in its YES terms. */
import { complement, overlay } from '#schemas/domain/candles/bars';
import type { Selection, Selector } from '#schemas/domain/candles/select';
import { sourceRulesOf } from '#schemas/domain/candles/sources';
import { subtract } from '#schemas/domain/candles/spans';
import type { EventLink } from '#schemas/topics/derived';
import type { Buckets, CandleWindow } from './candle-window.ts';
import { type MarketCandle, MarketCandleArray, type MarketCandleList } from './market-candles.ts';
import type { Reader } from './query.ts';
import { readBuckets } from './read-buckets.ts';
import { candleOf } from './read-candles.ts';
import { jointSpan, type MarketSide, readJointCandles } from './read-joint-candles.ts';
import { type RangeOfInstrument, readRanges, timeOfRow } from './read-source-bars.ts';
import { lengthsOf, type SelectedBuckets, selectStoredBars } from './select-stored-bars.ts';
import { instrumentsOf } from './traded-instruments.ts';
import { unprocessedTrades } from './unprocessed-trades.ts';

/** Unix ms; null if it is unknown. */
export type CandleTimes = Readonly<Record<'now' | 'tablesAt' | 'chainAt', number | null>>;

/**
 * Reads candles of linked markets, the oldest bucket first, then by provider and market. The limit counts candles, and
 * the bucket in which it falls is returned in full.
 * @param times unix ms, each null if it is unknown: the pipeline's time, and the times up to which the tables have the bars
 *   from recorded trades, and those from the trades of the chain.
 * @param orgId in whose turn it uses the store (`readJointCandles`).
 */
export async function readEventCandles(
  store: Reader,
  links: readonly EventLink[],
  window: CandleWindow,
  { now, tablesAt, chainAt }: CandleTimes,
  orgId: string,
): Promise<MarketCandleList> {
  if (links.length === 0) return new MarketCandleArray([]);
  const sorted = [...links].sort(
    (a, b) => compare(a.provider, b.provider) || compare(a.providerMarketId, b.providerMarketId),
  );
  const sides = sorted.flatMap(sidesOf);
  const onChain = sides.filter(({ provider }) => provider === 'venue_b');
  const at = {
    now: now ?? Number.POSITIVE_INFINITY,
    unprocessed: [...unprocessedTrades(sides, tablesAt, now), ...unprocessedTrades(onChain, chainAt, now)],
  };
  const { rows } = await readBuckets(window, now, {
    read: async (range) => ({ rows: await readRange(store, sorted, range, at, orgId) }),
    timeOfRow: (range, nth) => timeOfRow(store, sides, lengthsOf(sides, range.stepMs), range, nth),
    rowsOfOne: links.length,
  });
  return limited(rows, window);
}

/**
 * Reads the candles of a range. Where only recorded minutes count, the store joins them; elsewhere the bar of each side
 * and bucket is selected among those of all sources.
 */
async function readRange(
  store: Reader,
  links: readonly EventLink[],
  range: Buckets,
  { now, unprocessed }: { readonly now: number; readonly unprocessed: readonly RangeOfInstrument[] },
  orgId: string,
): Promise<MarketCandleList> {
  const { stepMs } = range;
  const sides = links.flatMap(sidesOf);
  const ranges = [...(await readRanges(store, sides, range)), ...unprocessed];
  const joint = jointSpan(sides, ranges, range);
  const wanted = {
    instruments: sides,
    ranges,
    stepMs,
    spans: subtract([range], joint ? [joint] : []),
    now,
    fetched: [],
  };
  const [joined, stored] = await Promise.all([
    joint && readJointCandles(store, links, sides, joint, stepMs, orgId),
    selectStoredBars(store, wanted),
  ]);
  const selected = candlesOf(links, stored);
  if (joined && selected.length === 0) return joined;
  // Sorting is stable, so that the markets of a bucket stay in their order.
  return new MarketCandleArray([...(joined?.toArray() ?? []), ...selected].sort((a, b) => a.ts - b.ts));
}

function candlesOf(links: readonly EventLink[], { starts, selected }: SelectedBuckets): MarketCandle[] {
  const markets = links.map((link) => ({ link, select: marketSelector(link, selected) }));
  return starts.flatMap((ts) =>
    markets.flatMap(({ link, select }) => {
      const candle = candleOf(ts, select(ts));
      return candle ? [{ provider: link.provider, marketId: link.providerMarketId, ...candle }] : [];
    }),
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The sides of a market: YES first. Prices of the NO side and of an inverse market count as 1 − p. */
function sidesOf(link: EventLink, market: number): MarketSide[] {
  return instrumentsOf(link).map(({ provider, instrument }, side) => {
    const isNo = side === 1;
    return { provider, coin: instrument, market, isNo, isFlipped: isNo !== (link.polarity === 'inverse') };
  });
}

/** Joins the sides of a market. */
function marketSelector(link: EventLink, selected: SelectedBuckets['selected']): Selector {
  const sides = sidesOf(link, 0).map((side) => ({ ...side, ...selected(side) }));
  const order = sourceRulesOf(link.provider).rules.flatMap(({ sources }) => sources);
  return (ts) => {
    const found = sides.map(({ select, isFlipped }) => ({ ...select(ts), isFlipped }));
    const [first, second] = found.map(({ bar, isFlipped }) => (bar && isFlipped ? complement(bar) : bar));
    return { source: jointSource(order, found), bar: first && second ? overlay(first, second) : (first ?? second) };
  };
}

/** The source of several sides: none if one of them has none, else the one that comes last in the order of sources. */
function jointSource(order: readonly string[], sides: readonly Selection[]): string | null {
  const ranks = sides.map(({ source }) => (source === null ? -1 : order.indexOf(source)));
  return ranks.includes(-1) ? null : order[Math.max(...ranks)]!;
}

function limited(candles: MarketCandleList, { start, end, limit }: CandleWindow): MarketCandleList {
  const { length } = candles;
  if (length <= limit) return candles;
  if (start !== null && end === null) {
    let until = limit;
    for (const last = candles.tsAt(limit - 1); until < length && candles.tsAt(until) === last; ) until += 1;
    return candles.slice(0, until);
  }
  let from = length - limit;
  for (const first = candles.tsAt(from); from > 0 && candles.tsAt(from - 1) === first; ) from -= 1;
  return candles.slice(from, length);
}

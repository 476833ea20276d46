/**
 * Reads candles of linked markets where only bars of recorded minutes count: the store joins the minutes of each bucket
 * and the two sides of each market, so that neither becomes an object here. It gives the same candles as the selection
 * among all sources followed by `complement` and `overlay` (`schemas/domain/candles/bars.ts`).
 */
import { type PreferredSpan, preferredSpan } from '#schemas/domain/candles/select';
import { sourceRulesOf } from '#schemas/domain/candles/sources';
import { marketKey } from '#schemas/domain/providers';
import type { EventLink } from '#schemas/topics/derived';
import type { Buckets } from './candle-window.ts';
import { PackedMarketCandles } from './market-candles.ts';
import { FIELD_END, PackedRows, ROW_START } from './packed-rows.ts';
import { type Query, query, type Reader } from './query.ts';
import { bucketBars, parametersOf, type RangeOfInstrument } from './read-source-bars.ts';
import { ReadTurns } from './read-turns.ts';
import type { BarInstrument } from './stored-bar.ts';

/** A side of a market: an instrument, the number of its market, and whether its prices p count as 1 − p. */
export interface MarketSide extends BarInstrument {
  readonly market: number;
  readonly isNo: boolean;
  readonly isFlipped: boolean;
}

/** The longest span of some buckets in which only the recorded minutes of all sides count; undefined for none. */
export function jointSpan(
  sides: readonly MarketSide[],
  ranges: readonly RangeOfInstrument[],
  buckets: Buckets,
): PreferredSpan | undefined {
  const { stepMs } = buckets;
  const keyOf = ({ provider, coin }: BarInstrument) => marketKey(provider, coin);
  // Two markets of one instrument cannot be distinguished by it.
  if (new Set(sides.map(keyOf)).size < sides.length) return undefined;
  const spans = sides.map((side) => {
    const own = ranges.filter((range) => keyOf(range) === keyOf(side));
    return preferredSpan({ rules: sourceRulesOf(side.provider), ranges: own, stepMs }, buckets);
  });
  const [first] = spans;
  if (!first) return undefined;
  let { from, until } = first;
  for (const span of spans) {
    if (span?.source !== first.source || span.intervalMs !== first.intervalMs) return undefined;
    from = Math.max(from, span.from);
    until = Math.min(until, span.until);
  }
  return from < until ? { ...first, from, until } : undefined;
}

const ONE = "toDecimal128('1', 18)";

/** The sides of each market, with prices in its YES terms, and with moments as in `momentOf`. */
function sidesIn(bars: string): string {
  const moment = (name: 'open' | 'close', place: 'opened' | 'closed', start: 'firstMs' | 'lastMs') =>
    `isNotNull(bars.${place}[1]) AND isNotNull(bars.${place}[2]) AS ${name}IsKnown,
     if(${name}IsKnown, assumeNotNull(bars.${place}[1]), toFloat64(bars.${start})) AS ${name}From,
     if(${name}IsKnown, ${name}From, ${name}From + {intervalMs:Int64} - 1) AS ${name}Until,
     if(${name}IsKnown, bars.${place}[2], NULL) AS ${name}Arrival`;
  return `SELECT bars.bucket AS bucket, indexOf({keys:Array(String)}, concat(bars.provider, ' ', bars.coin)) AS side,
     {markets:Array(UInt32)}[side] AS market, {no:Array(UInt8)}[side] AS isNo, {flipped:Array(UInt8)}[side] AS isFlipped,
     if(isFlipped, ${ONE} - bars.open, bars.open) AS first, if(isFlipped, ${ONE} - bars.low, bars.high) AS most,
     if(isFlipped, ${ONE} - bars.high, bars.low) AS least, if(isFlipped, ${ONE} - bars.close, bars.close) AS last,
     bars.volume AS quantity, bars.trades AS counted,
     ${moment('open', 'opened', 'firstMs')}, ${moment('close', 'closed', 'lastMs')}
   FROM (${bars}) AS bars`;
}

const MOMENT = ['From', 'Until', 'Arrival'] as const;
/** Columns of which each side has its own. */
const OF_SIDE = ['first', 'last', ...MOMENT.flatMap((part) => [`open${part}`, `close${part}`])];

/** The two sides of each market and bucket in one row. */
function marketsIn(sides: string): string {
  const ofSide = OF_SIDE.flatMap((column) => [0, 1].map((no) => `anyIf(${column}, isNo = ${no}) AS ${column}${no}`));
  return `SELECT market, bucket, countIf(isNo = 0) > 0 AS hasYes, countIf(isNo = 1) > 0 AS hasNo, ${ofSide.join(', ')},
     max(most) AS high, min(least) AS low, sum(quantity) AS volume, sum(counted) AS trades
   FROM (${sides}) GROUP BY market, bucket`;
}

/** True if the moment of one side is certainly before that of the other one, as in `overlay`. */
function isBefore(name: 'open' | 'close', side: 0 | 1): string {
  const column = (part: (typeof MOMENT)[number], of: number) => `${name}${part}${of}`;
  const other = 1 - side;
  const [from, otherFrom] = [column('From', side), column('From', other)];
  const [arrival, otherArrival] = [column('Arrival', side), column('Arrival', other)];
  return `if(isNull(${arrival}) OR isNull(${otherArrival}), ${column('Until', side)} < ${otherFrom},
     ${from} < ${otherFrom} OR (${from} = ${otherFrom} AND assumeNotNull(${arrival}) < assumeNotNull(${otherArrival})))`;
}

/** The price of the NO side if only that has one, or if it has the first or the last one of both. */
function priceOf(name: 'first' | 'last', isOfNo: string): string {
  return `if(hasNo AND (NOT hasYes OR ${isOfNo}), ${name}1, ${name}0)`;
}

const FIELDS = [
  'market',
  'bucket',
  'trades',
  priceOf('first', isBefore('open', 1)),
  'high',
  'low',
  priceOf('last', isBefore('close', 0)),
  'volume',
];
const ROW = `concat('${ROW_START}', ${FIELDS.map((field) => `toString(${field}), '${FIELD_END}'`).join(', ')})`;

/** Reads that wait for others, and how long: shorter than a response may take. */
const TURNS = { perOrganization: 100, total: 1_000, timeoutMs: 25_000 };
/** By store. */
const turnsOf = new WeakMap<Reader, ReadTurns>();

/**
 * Reads the candles of linked markets in a `jointSpan` of their sides, as packed rows. One read runs at a time: it uses
 * every processor of the store and some 15 MB of its memory, and another one at once would also keep short queries
 * waiting. Rejects as `ReadTurns` does if too many reads wait, or for too long.
 * @param orgId in whose turn it runs.
 */
export function readJointCandles(
  store: Reader,
  links: readonly EventLink[],
  sides: readonly MarketSide[],
  { source, intervalMs, from, until }: PreferredSpan,
  stepMs: number,
  orgId: string,
): Promise<PackedMarketCandles> {
  const markets = links.map(({ provider, providerMarketId }) => ({ provider, marketId: providerMarketId }));
  const turns = turnsOf.get(store) ?? new ReadTurns(TURNS);
  turnsOf.set(store, turns);
  const candles: Query<PackedMarketCandles> = {
    name: 'candles',
    sql: `SELECT arrayStringConcat(arraySort((text, place) -> place, groupArray(row), groupArray((bucket, market)))) AS packed,
       toFloat64(count()) AS counted
     FROM (SELECT bucket, market, ${ROW} AS row FROM (${marketsIn(sidesIn(bucketBars(sides, stepMs > intervalMs)))}))`,
    parameters: {
      ...parametersOf(sides),
      keys: sides.map(({ provider, coin }) => `${provider} ${coin}`),
      markets: sides.map(({ market }) => market),
      no: sides.map(({ isNo }) => Number(isNo)),
      flipped: sides.map(({ isFlipped }) => Number(isFlipped)),
      lengths: [intervalMs],
      ...{ intervalMs, stepMs, source, from, until },
    },
    // It is one row, also without bars.
    parse: ([found]: { packed: string; counted: number }[]) =>
      new PackedMarketCandles(source, markets, new PackedRows(found!.packed, found!.counted)),
  };
  return turns.run(orgId, () => query(store, candles));
}

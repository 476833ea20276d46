/** What happened on all markets of questions in the last 24 hours, from the tables, for lists of many events. */
import { unixMs } from '#infra/store/unix-ms';
import { MINUTE_MS, QUESTION_RULES } from '#schemas/domain/candles/sources';
import { type Decimal, parseDecimal, ZERO } from '#schemas/domain/decimal';
import { marketKey, QUESTION_PROVIDERS } from '#schemas/domain/providers';
import type { EventLink } from '#schemas/topics/derived';
import { type Query, queryBatch, type Reader } from './query.ts';
import { instrumentsOf } from './traded-instruments.ts';

const DAY_MS = 86_400_000;
/** Age from which the figures are read again, ms. */
const FRESH_MS = 5_000;
/** Age up to which figures are returned while they are read again, ms. */
const STALE_MAX_MS = 60_000;

/** The trades of an instrument. */
interface TradeTotals {
  /** Shares. */
  readonly volume: Decimal;
  readonly trades: number;
  /** The venue's time of the last one, unix ms; null if it is unknown. */
  readonly lastTradeAt: number | null;
}

export interface MarketActivity {
  /** By `marketKey` of provider and instrument; an instrument without trades is missing. */
  readonly trades: ReadonlyMap<string, TradeTotals>;
  /** Number of anomalies, by `marketKey`. */
  readonly anomalies: ReadonlyMap<string, number>;
  /** Markets whose newest dispute phase is a dispute, by `marketKey`. */
  readonly disputed: ReadonlySet<string>;
}

/** The activity of an event, the sum over its markets. */
export interface EventActivity extends TradeTotals {
  readonly anomalies: number;
  readonly disputed: boolean;
}

export function sumActivity(
  { trades, anomalies, disputed }: MarketActivity,
  links: readonly EventLink[],
): EventActivity {
  let [volume, count, lastTradeAt, anomalyCount, isDisputed]: [bigint, number, number | null, number, boolean] = [
    ZERO,
    0,
    null,
    0,
    false,
  ];
  for (const link of links) {
    const key = marketKey(link.provider, link.providerMarketId);
    anomalyCount += anomalies.get(key) ?? 0;
    isDisputed ||= disputed.has(key);
    for (const { provider, instrument } of instrumentsOf(link)) {
      const totals = trades.get(marketKey(provider, instrument));
      if (!totals) continue;
      volume += totals.volume;
      count += totals.trades;
      if (totals.lastTradeAt !== null) lastTradeAt = Math.max(lastTradeAt ?? 0, totals.lastTradeAt);
    }
  }
  return { volume: volume as Decimal, trades: count, lastTradeAt, anomalies: anomalyCount, disputed: isDisputed };
}

/** The activity of one store, which is read every 5 s at most, and only while someone asks for it. */
class ActivityCache {
  private readonly store: Reader;
  private readonly now: () => number;
  private current: { readonly activity: MarketActivity; readonly readAt: number } | null = null;
  private reading: Promise<MarketActivity> | null = null;

  constructor(store: Reader, now: () => number) {
    this.store = store;
    this.now = now;
  }

  async get(until: number): Promise<MarketActivity> {
    const age = this.current ? this.now() - this.current.readAt : Number.POSITIVE_INFINITY;
    if (this.current && age < FRESH_MS) return this.current.activity;
    this.reading ??= this.read(until).finally(() => {
      this.reading = null;
    });
    if (!this.current || age >= STALE_MAX_MS) return this.reading;
    // The next call repeats a failed read; after a minute of failures the error is thrown.
    this.reading.catch(() => {});
    return this.current.activity;
  }

  private async read(until: number): Promise<MarketActivity> {
    const readAt = this.now();
    const from = until - DAY_MS;
    const [trades, anomalies, disputed] = await queryBatch(this.store, [
      tradeTotals(from),
      anomalyCounts(from),
      disputedMarkets(),
    ]);
    const activity = { trades, anomalies, disputed };
    this.current = { activity, readAt };
    return activity;
  }
}

/** The sandbox has a store of its own. */
const caches = new WeakMap<Reader, ActivityCache>();

/**
 * Returns the activity of the 24 hours before a time, at most a minute old. Rejects if the store does and there is
 * nothing that recent.
 * @param until unix ms.
 * @param now monotonic ms.
 */
export function readMarketActivity(
  store: Reader,
  until: number,
  now: () => number = () => performance.now(),
): Promise<MarketActivity> {
  const cache = caches.get(store) ?? new ActivityCache(store, now);
  caches.set(store, cache);
  return cache.get(until);
}

interface TotalsRow {
  readonly provider: string;
  readonly instrument: string;
  readonly volume: string;
  readonly trades: number;
  readonly lastTradeAt: number | null;
}

/** Sums the one-minute bars of recorded trades that begin at `from` or later. */
function tradeTotals(from: number): Query<Map<string, TradeTotals>> {
  return {
    name: 'trade-totals',
    sql: `SELECT provider, coin AS instrument, toString(sum(b.volume)) AS volume, toFloat64(sum(b.trades)) AS trades,
       ${unixMs('max(b.closeTs)')} AS lastTradeAt
     FROM candle_bars AS b FINAL
     WHERE provider IN {providers:Array(String)} AND source = {recorded:String} AND intervalMs = {minute:UInt64}
       AND openTime >= fromUnixTimestamp64Milli({from:Int64})
     GROUP BY provider, coin HAVING sum(b.trades) > 0`,
    parameters: { providers: QUESTION_PROVIDERS, recorded: QUESTION_RULES.recorded, minute: MINUTE_MS, from },
    parse: (rows: TotalsRow[]) =>
      new Map(
        rows.map(({ provider, instrument, volume, trades, lastTradeAt }) => [
          marketKey(provider, instrument),
          { volume: parseDecimal(volume), trades, lastTradeAt },
        ]),
      ),
  };
}

interface MarketRow {
  readonly provider: string;
  readonly marketId: string;
}

function anomalyCounts(from: number): Query<Map<string, number>> {
  return {
    name: 'anomaly-counts',
    sql: `SELECT provider, marketId, toFloat64(count()) AS anomalies
     FROM anomalies AS a FINAL
     WHERE a.ts >= fromUnixTimestamp64Milli({from:Int64})
     GROUP BY provider, marketId`,
    parameters: { from },
    parse: (rows: (MarketRow & { readonly anomalies: number })[]) =>
      new Map(rows.map(({ provider, marketId, anomalies }) => [marketKey(provider, marketId), anomalies])),
  };
}

function disputedMarkets(): Query<Set<string>> {
  return {
    name: 'disputed-markets',
    sql: `SELECT provider, assumeNotNull(marketId) AS marketId
     FROM dispute_phases FINAL
     WHERE status != 'reverted' AND marketId IS NOT NULL
     GROUP BY provider, marketId HAVING argMax(phase, (blockNumber, logIndex)) = 'dispute'`,
    parameters: {},
    parse: (rows: MarketRow[]) => new Set(rows.map(({ provider, marketId }) => marketKey(provider, marketId))),
  };
}

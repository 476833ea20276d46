/** How the trades of each coin arrive: what `trade-gaps.ts` and `trade-starts.ts` store and emit. */

import type { Emit } from '#infra/stages/stage';
import { MINUTE_MS, sourceRulesOf } from '#schemas/domain/candles/sources';
import { type CandleRange, venueCandleRangeTopics } from '#schemas/topics/candles';
import { providerOf } from '#schemas/venues/venue-a/coin-market';
import type { SeenTrades } from './seen-trades.ts';

/** Stands for the connection that carried a coin before a recording began, until its first trade shows which one it is. */
export const UNKNOWN_FEED = '?';

/** How the trades of a coin arrive. */
export interface CoinSubscription {
  /** The connection that carries them, or `UNKNOWN_FEED`; empty if there was none yet. */
  feed: string;
  /** Since when trades may be missing, unix ms; null while the subscription is uninterrupted. */
  lostAt: number | null;
  /**
   * Id of the range of the open gap, or of one in which nothing was missed: the next gap has it again, so that interruptions
   * without a loss do not add up.
   */
  gapId: string | null;
  /**
   * The newest gap between two requested lists. The next one extends it if it touches its buckets or those beside them:
   * a coin that is only polled would have a range for every list.
   */
  polledGap: EndedGap | null;
}

export interface EndedGap {
  readonly id: string;
  readonly from: number;
  /** Inclusive. */
  readonly until: number;
}

/** Part of the state of the normaliser. */
export interface TradeSubscriptions {
  /** By coin. */
  readonly coins: Map<string, CoinSubscription>;
  /** When the coins whose replay has not come were subscribed, unix ms. */
  readonly awaited: Map<string, number>;
  /**
   * Coins of outcomes, until a day after their outcome was closed: since when their trades are received, or when their
   * market ended, unix ms; null if they were never subscribed.
   */
  readonly followed: Map<string, number | null>;
  /**
   * Of a recording that began while its connections were open, and so does not state what they carry: whether the first list
   * of outcomes, whose coins count as subscribed, is still to come. Null otherwise.
   */
  awaitsFirstList: boolean | null;
}

export function createTradeSubscriptions(): TradeSubscriptions {
  return { coins: new Map(), awaited: new Map(), followed: new Map(), awaitsFirstList: null };
}

export function createSubscription(feed: string, lostAt: number | null = null): CoinSubscription {
  return { feed, lostAt, gapId: null, polledGap: null };
}

/** What the functions about subscriptions need of the normaliser. */
export interface GapContext {
  readonly subscriptions: TradeSubscriptions;
  readonly seen: SeenTrades;
  /** When the market of a coin ended, unix ms; null while it is listed, or if that is unknown. */
  readonly endOf: (coin: string) => number | null;
  readonly receivedAt: number;
  readonly emit: Emit;
}

/** Emits a range of the bars from the recorded trades of a coin. */
export function emitRange(
  { receivedAt, emit }: GapContext,
  coin: string,
  range: Pick<CandleRange, 'id' | 'kind' | 'from' | 'until'>,
): void {
  const provider = providerOf(coin);
  const source = sourceRulesOf(provider).recorded;
  emit(venueCandleRangeTopics.venue_a, coin, { provider, coin, source, intervalMs: MINUTE_MS, ...range, receivedAt });
}

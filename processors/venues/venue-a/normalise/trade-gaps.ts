/**
 * Gaps in the recorded trades of a coin (contract, "Candles"). After each subscription the venue replays recent trades:
 * if they reach back to a known trade, nothing was missed. From the loss of its connection until then, trades of a coin
 * may be missing: its gap is open. A market that has ended has no trades, so its gap ends there.
 */

import type { Emit } from '#infra/stages/stage';
import { MINUTE_MS, sourceRulesOf } from '#schemas/domain/candles/sources';
import { type CandleRange, venueCandleRangeTopics } from '#schemas/topics/candles';
import { providerOf } from '#schemas/venues/venue-a/coin-market';
import { type TradeMessage, tradeKey } from '#schemas/venues/venue-a/trades';
import { isSeen, type SeenTrades } from './seen-trades.ts';

/** A subscription without a replay within this time has nothing to replay. */
const REPLAY_WAIT_MS = 30_000;

/** How the trades of a coin arrive. */
interface CoinSubscription {
  /** The connection that carries them; empty if there was none yet. */
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

interface EndedGap {
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
}

export function createTradeSubscriptions(): TradeSubscriptions {
  return { coins: new Map(), awaited: new Map() };
}

/** What the functions below need of the normaliser. */
export interface GapContext {
  readonly subscriptions: TradeSubscriptions;
  readonly seen: SeenTrades;
  /** When the market of a coin ended, unix ms; null while it is listed, or if that is unknown. */
  readonly endOf: (coin: string) => number | null;
  readonly receivedAt: number;
  readonly emit: Emit;
}

/** Handles the loss of a connection at a time: the gaps of its coins open. Nothing changes for those that are lost. */
export function connectionLost(context: GapContext, feed: string, lostAt: number): void {
  for (const [coin, subscription] of context.subscriptions.coins)
    if (subscription.feed === feed) open(context, coin, subscription, lostAt);
}

/** Handles the acknowledgement of a subscription to the trades of a coin. */
export function subscribed(
  context: GapContext,
  coin: string,
  feed: string,
  lastFrameOf: (feed: string) => number,
): void {
  const { subscriptions, receivedAt } = context;
  if (forgetEnded(context, coin)) return;
  let subscription = subscriptions.coins.get(coin);
  if (!subscription) {
    subscription = createSubscription('');
    subscriptions.coins.set(coin, subscription);
  }
  // A connection that never came back after a kill has no event of its loss.
  const silentSince = subscription.feed === feed ? receivedAt : Math.min(receivedAt, lastFrameOf(subscription.feed));
  open(context, coin, subscription, silentSince);
  subscription.feed = feed;
  subscriptions.awaited.set(coin, receivedAt);
}

/** Handles the acknowledgement of the end of a subscription. */
export function unsubscribed(context: GapContext, coin: string, feed: string): void {
  const subscription = context.subscriptions.coins.get(coin);
  if (subscription?.feed !== feed) return;
  context.subscriptions.awaited.delete(coin);
  open(context, coin, subscription, context.receivedAt);
}

/** Handles trades of a subscription, before they are stored: the first ones after it are the replay. */
export function tradesReceived(context: GapContext, feed: string, trades: readonly TradeMessage[]): void {
  const [first] = trades;
  if (!first) return;
  const { coins, awaited } = context.subscriptions;
  const subscription = coins.get(first.coin);
  if (!subscription) {
    coins.set(first.coin, createSubscription(feed));
    return;
  }
  if (subscription.lostAt === null || subscription.feed !== feed || !awaited.delete(first.coin)) return;
  close(context, first.coin, subscription, missedBefore(context.seen, first.coin, trades));
}

/**
 * Handles a list of a coin's recent trades that was requested, before they are stored. It shows what was missed up to
 * now; the gap opens again, since nothing follows it.
 */
export function recentTradesListed(context: GapContext, trades: readonly TradeMessage[]): void {
  const [first] = trades;
  if (!first) return;
  const { coin } = first;
  const { coins } = context.subscriptions;
  if (forgetEnded(context, coin)) return;
  const subscription = coins.get(coin) ?? createSubscription('', context.seen.get(coin)?.receivedAt);
  if (!coins.has(coin)) coins.set(coin, subscription);
  else if (subscription.lostAt === null) return;
  const missed = missedBefore(context.seen, coin, trades);
  // Without a loss the open gap moves to the present time.
  if (subscription.lostAt !== null && missed) closePolled(context, coin, subscription, missed);
  emitOpen(context, coin, subscription, context.receivedAt);
}

/** Handles the passing of time: ends the wait for replays that did not come. Nothing was recorded since the loss. */
export function expireReplays(context: GapContext): void {
  const { awaited, coins } = context.subscriptions;
  for (const [coin, since] of awaited) {
    // The subscriptions are in the order of their acknowledgements.
    if (context.receivedAt - since < REPLAY_WAIT_MS) return;
    awaited.delete(coin);
    const subscription = coins.get(coin)!;
    if (subscription.lostAt !== null) close(context, coin, subscription, { from: subscription.lostAt, until: since });
  }
}

/** Ends the open gaps of markets that have ended. */
export function endGaps(context: GapContext): void {
  for (const [coin, { lostAt }] of context.subscriptions.coins) if (lostAt !== null) forgetEnded(context, coin);
}

/**
 * Forgets a coin whose market has ended, and ends its open gap there: nothing was traded after that.
 * @returns false if it has not ended.
 */
function forgetEnded(context: GapContext, coin: string): boolean {
  const until = context.endOf(coin);
  if (until === null) return false;
  const { coins, awaited } = context.subscriptions;
  const subscription = coins.get(coin);
  if (subscription && subscription.lostAt !== null) {
    const { lostAt: from } = subscription;
    close(context, coin, subscription, from < until ? { from, until } : null);
  }
  coins.delete(coin);
  awaited.delete(coin);
  return true;
}

/** Forgets coins without known trades. */
export function forgetUntraded({ coins, awaited }: TradeSubscriptions, seen: SeenTrades): void {
  for (const coin of coins.keys()) if (!seen.has(coin) && !awaited.has(coin)) coins.delete(coin);
}

/** The time in which trades were missed before a replay; null if it reaches back to a known trade. */
function missedBefore(
  seen: SeenTrades,
  coin: string,
  trades: readonly TradeMessage[],
): { readonly from: number; readonly until: number } | null {
  const newest = seen.get(coin)?.newest;
  if (newest === undefined) return null;
  const isContinued = trades.some((trade) => trade.time < newest || isSeen(seen, coin, trade.time, tradeKey(trade)));
  return isContinued ? null : { from: newest, until: Math.min(...trades.map(({ time }) => time)) };
}

function createSubscription(feed: string, lostAt: number | null = null): CoinSubscription {
  return { feed, lostAt, gapId: null, polledGap: null };
}

function open(context: GapContext, coin: string, subscription: CoinSubscription, lostAt: number): void {
  if (subscription.lostAt !== null || forgetEnded(context, coin)) return;
  // Without a known trade there is nothing that could have been missed.
  if (context.seen.has(coin)) emitOpen(context, coin, subscription, lostAt);
  else subscription.lostAt = lostAt;
}

function emitOpen(context: GapContext, coin: string, subscription: CoinSubscription, lostAt: number): void {
  subscription.lostAt = lostAt;
  subscription.gapId ??= `gap ${lostAt}`;
  emitRange(context, coin, { id: subscription.gapId, kind: 'gap', from: lostAt, until: null });
}

/** Ends the open gap. @param missed null if nothing was. */
function close(
  context: GapContext,
  coin: string,
  subscription: CoinSubscription,
  missed: { readonly from: number; readonly until: number } | null,
): void {
  const lostAt = subscription.lostAt!;
  subscription.lostAt = null;
  if (!context.seen.has(coin)) return;
  const id = subscription.gapId ?? `gap ${lostAt}`;
  subscription.gapId = missed ? null : id;
  emitRange(context, coin, missed ? { id, kind: 'gap', ...missed } : { id, kind: 'none', from: lostAt, until: lostAt });
}

/** Ends the open gap of a coin that is polled, as a gap of its own or as a part of the one before. */
function closePolled(
  context: GapContext,
  coin: string,
  subscription: CoinSubscription,
  missed: { readonly from: number; readonly until: number },
): void {
  const { polledGap } = subscription;
  if (!context.seen.has(coin) || !polledGap || !areAdjacent(polledGap, missed)) {
    subscription.polledGap = { id: subscription.gapId ?? `gap ${subscription.lostAt}`, ...missed };
    close(context, coin, subscription, missed);
    return;
  }
  const [from, until] = [Math.min(polledGap.from, missed.from), Math.max(polledGap.until, missed.until)];
  subscription.polledGap = { id: polledGap.id, from, until };
  emitRange(context, coin, { kind: 'gap', ...subscription.polledGap });
  close(context, coin, subscription, null);
}

type Ended = Pick<EndedGap, 'from' | 'until'>;

/** True if together two gaps touch the same minutes as one from the start of the first to the end of the last. */
function areAdjacent(a: Ended, b: Ended): boolean {
  const minuteOf = (time: number) => Math.floor(time / MINUTE_MS);
  return minuteOf(a.from) <= minuteOf(b.until) + 1 && minuteOf(b.from) <= minuteOf(a.until) + 1;
}

function emitRange(
  { receivedAt, emit }: GapContext,
  coin: string,
  range: Pick<CandleRange, 'id' | 'kind' | 'from' | 'until'>,
): void {
  const provider = providerOf(coin);
  const source = sourceRulesOf(provider).recorded;
  emit(venueCandleRangeTopics.venue_a, coin, { provider, coin, source, intervalMs: MINUTE_MS, ...range, receivedAt });
}

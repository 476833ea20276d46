/**
 * Gaps in the recorded trades of a coin (contract, "Candles"). After each subscription the venue replays recent trades:
 * if they reach back to a known trade, nothing was missed. From the loss of its connection until then, trades of a coin
 * may be missing: its gap is open. A market that has ended has no trades, so its gap ends there.
 */

import { MINUTE_MS } from '#schemas/domain/candles/sources';
import { isOutcomeCoin } from '#schemas/venues/venue-a/outcome-coin';
import { type TradeMessage, tradeKey } from '#schemas/venues/venue-a/trades';
import { isSeen, type SeenTrades } from './seen-trades.ts';
import { endStart, isBeforeStart, isFollowed, openStart } from './trade-starts.ts';
import {
  type CoinSubscription,
  createSubscription,
  type EndedGap,
  emitRange,
  type GapContext,
  type TradeSubscriptions,
  UNKNOWN_FEED,
} from './trade-subscriptions.ts';

/** A subscription has nothing to replay if its connection sent a frame at least this long after the acknowledgement. */
const REPLAY_WAIT_MS = 30_000;

/** Receive time of the newest frame of a connection, unix ms; the current time of one that is unknown. */
type LastFrameOf = (feed: string) => number;

/** Handles the loss of a connection at a time: the gaps of its coins open. Nothing is replayed on it any more. */
export function connectionLost(context: GapContext, feed: string, lostAt: number): void {
  const { coins, awaited } = context.subscriptions;
  for (const [coin, subscription] of coins) {
    if (subscription.feed !== feed && subscription.feed !== UNKNOWN_FEED) continue;
    awaited.delete(coin);
    open(context, coin, subscription, lostAt);
  }
}

/** Handles the acknowledgement of a subscription to the trades of a coin. */
export function subscribed(context: GapContext, coin: string, feed: string, lastFrameOf: LastFrameOf): void {
  const { subscriptions, receivedAt } = context;
  const subscription = subscriptions.coins.get(coin) ?? createSubscription('');
  subscriptions.coins.set(coin, subscription);
  // No trade came since a recording began, so perhaps no connection carried the coin until now.
  const unheardSince = subscription.feed === UNKNOWN_FEED ? subscriptions.followed.get(coin) : undefined;
  if (typeof unheardSince === 'number') subscription.lostAt = null;
  // A connection that never came back after a kill has no event of its loss.
  const silentSince = subscription.feed === feed ? receivedAt : Math.min(receivedAt, lastFrameOf(subscription.feed));
  open(context, coin, subscription, unheardSince ?? silentSince);
  if (forgetEnded(context, coin)) return;
  subscription.feed = feed;
  // Stored again as the newest one.
  subscriptions.awaited.delete(coin);
  subscriptions.awaited.set(coin, receivedAt);
}

/** Handles the acknowledgement of the end of a subscription. */
export function unsubscribed(context: GapContext, coin: string, feed: string): void {
  const subscription = context.subscriptions.coins.get(coin);
  if (subscription?.feed !== feed && subscription?.feed !== UNKNOWN_FEED) return;
  subscription.feed = feed;
  context.subscriptions.awaited.delete(coin);
  open(context, coin, subscription, context.receivedAt);
}

/** Handles trades of a subscription, before they are stored: the first ones after it are the replay. */
export function tradesReceived(context: GapContext, feed: string, trades: readonly TradeMessage[]): void {
  const [first] = trades;
  if (!first) return;
  const { coin } = first;
  const { coins, awaited } = context.subscriptions;
  const isStart = isBeforeStart(context, coin);
  if (isStart) endStart(context, coin, Math.min(oldestOf(trades), awaited.get(coin) ?? Number.POSITIVE_INFINITY));
  const subscription = coins.get(coin);
  if (!subscription) {
    coins.set(coin, createSubscription(feed));
    return;
  }
  if (subscription.feed === UNKNOWN_FEED) {
    // Since there was no acknowledgement, this connection carried it all the time, and the one that was lost did not.
    subscription.feed = feed;
    if (subscription.lostAt !== null) close(context, coin, subscription, null);
    return;
  }
  if (subscription.lostAt === null || subscription.feed !== feed || !awaited.delete(coin)) return;
  close(context, coin, subscription, isStart ? null : missedBefore(context, coin, subscription, trades));
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
  const isStart = isBeforeStart(context, coin);
  if (isStart) endStart(context, coin, oldestOf(trades));
  const subscription = coins.get(coin) ?? createSubscription('', context.seen.get(coin)?.receivedAt);
  if (!coins.has(coin)) coins.set(coin, subscription);
  else if (subscription.lostAt === null) return;
  const missed = isStart ? null : missedBefore(context, coin, subscription, trades);
  // Without a loss the open gap moves to the present time.
  if (subscription.lostAt !== null && missed) closePolled(context, coin, subscription, missed);
  emitOpen(context, coin, subscription, context.receivedAt);
}

/**
 * Handles the listing of outcomes that are open. The trades of a coin that was never subscribed are not received, and neither
 * are those of one whose market was closed, until it is subscribed.
 * @param isList true for the venue's list of outcomes, false for a message that one was created.
 */
export function outcomesListed(context: GapContext, coins: Iterable<string>, isList: boolean): void {
  const { coins: subscriptions, followed } = context.subscriptions;
  for (const coin of coins) {
    const known = followed.get(coin);
    if (known === null || subscriptions.has(coin)) continue;
    const since = context.seen.get(coin)?.receivedAt ?? known;
    if (since === undefined) {
      openStart(context, coin, isList);
      continue;
    }
    const subscription = createSubscription('');
    subscriptions.set(coin, subscription);
    emitOpen(context, coin, subscription, since);
  }
  if (isList && context.subscriptions.awaitsFirstList) context.subscriptions.awaitsFirstList = false;
}

/**
 * Handles the passing of time: ends the wait for replays that did not come. Nothing was recorded since the loss. Of a coin
 * without known trades nothing was traded either, since the venue would have replayed it. A connection that has sent nothing
 * since shows neither: it may be slow, or have ended with its process before the replay.
 */
export function expireReplays(context: GapContext, lastFrameOf: LastFrameOf): void {
  const { awaited, coins } = context.subscriptions;
  for (const [coin, since] of awaited) {
    // The subscriptions are in the order of their acknowledgements.
    if (context.receivedAt - since < REPLAY_WAIT_MS) return;
    const subscription = coins.get(coin)!;
    if (lastFrameOf(subscription.feed) - since < REPLAY_WAIT_MS) continue;
    awaited.delete(coin);
    if (subscription.lostAt === null) continue;
    if (isBeforeStart(context, coin)) endStart(context, coin, since);
    const missed = context.seen.has(coin) ? { from: subscription.lostAt, until: since } : null;
    close(context, coin, subscription, missed);
  }
}

/** Ends the open gaps of markets that have ended. */
export function endGaps(context: GapContext): void {
  for (const [coin, { lostAt }] of context.subscriptions.coins) if (lostAt !== null) forgetEnded(context, coin);
}

/**
 * Forgets a coin whose market has ended, and ends its open gap there: nothing was traded after that. While a subscription is
 * uninterrupted it stays, since its connection may have been lost before the end.
 * @returns false if it has not ended.
 */
function forgetEnded(context: GapContext, coin: string): boolean {
  const until = context.endOf(coin);
  if (until === null) return false;
  const { coins, awaited, followed } = context.subscriptions;
  const subscription = coins.get(coin);
  if (subscription) {
    const { lostAt: from } = subscription;
    if (from === null) return true;
    close(context, coin, subscription, from < until ? { from, until } : null);
  }
  coins.delete(coin);
  awaited.delete(coin);
  if (typeof followed.get(coin) === 'number') followed.set(coin, until);
  return true;
}

/** Runs once a day: forgets coins without known trades, except those of outcomes that are stored. */
export function forgetUntraded(
  { coins, awaited, followed }: TradeSubscriptions,
  seen: SeenTrades,
  isStored: (coin: string) => boolean,
): void {
  for (const coin of coins.keys()) if (!seen.has(coin) && !awaited.has(coin) && !isStored(coin)) coins.delete(coin);
  for (const coin of followed.keys()) if (!isStored(coin)) followed.delete(coin);
}

/**
 * The time in which trades were missed before a replay; null if it reaches back to a known trade, or to the loss of the
 * connection if none is known.
 */
function missedBefore(
  { seen }: GapContext,
  coin: string,
  { lostAt }: CoinSubscription,
  trades: readonly TradeMessage[],
): Ended | null {
  const newest = seen.get(coin)?.newest ?? (isOutcomeCoin(coin) ? lostAt : null);
  if (newest === null) return null;
  const isContinued = trades.some((trade) => trade.time < newest || isSeen(seen, coin, trade.time, tradeKey(trade)));
  return isContinued ? null : { from: newest, until: oldestOf(trades) };
}

/** Time of the oldest trade. */
function oldestOf(trades: readonly TradeMessage[]): number {
  return Math.min(...trades.map(({ time }) => time));
}

function open(context: GapContext, coin: string, subscription: CoinSubscription, lostAt: number): void {
  if (subscription.lostAt !== null) return;
  subscription.lostAt = lostAt;
  if (forgetEnded(context, coin)) return;
  // The time before the first trade, or before the start of an outcome's coin, has no gap of this kind.
  if (isFollowed(context, coin)) emitOpen(context, coin, subscription, lostAt);
}

function emitOpen(context: GapContext, coin: string, subscription: CoinSubscription, lostAt: number): void {
  subscription.lostAt = lostAt;
  subscription.gapId ??= `gap ${lostAt}`;
  emitRange(context, coin, { id: subscription.gapId, kind: 'gap', from: lostAt, until: null });
}

/** Ends the open gap. @param missed null if nothing was. */
function close(context: GapContext, coin: string, subscription: CoinSubscription, missed: Ended | null): void {
  const lostAt = subscription.lostAt!;
  subscription.lostAt = null;
  // Nothing was missed, and no gap was stated.
  if (!isFollowed(context, coin) || (!missed && subscription.gapId === null)) return;
  const id = subscription.gapId ?? `gap ${lostAt}`;
  subscription.gapId = missed ? null : id;
  emitRange(context, coin, missed ? { id, kind: 'gap', ...missed } : { id, kind: 'none', from: lostAt, until: lostAt });
}

/** Ends the open gap of a coin that is polled, as a gap of its own or as a part of the one before. */
function closePolled(context: GapContext, coin: string, subscription: CoinSubscription, missed: Ended): void {
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

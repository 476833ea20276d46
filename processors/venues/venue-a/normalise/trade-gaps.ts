/**
 * Gaps in the recorded trades of a coin (contract, "Candles"). After each subscription the venue replays recent trades:
 * if they reach back to a known trade, nothing was missed. From the loss of its connection until then, trades of a coin
 * may be missing: its gap is open.
 */
import type { Emit } from '#infra/stages/stage';
import { MINUTE_MS, sourceRulesOf } from '#schemas/domain/candles/sources';
import { type CandleRange, venueCandleRangeTopics } from '#schemas/topics/candles';
import { type TradeMessage, tradeKey } from '#schemas/venues/venue-a/trades';
import { providerOf } from './coins.ts';
import { isSeen, type SeenTrades } from './seen-trades.ts';

/** A subscription without a replay within this time has nothing to replay. */
const REPLAY_WAIT_MS = 30_000;

/** How the trades of a coin arrive. */
interface CoinSubscription {
  /** The connection that carries them; empty if there was none yet. */
  feed: string;
  /** Since when trades may be missing, unix ms; null while the subscription is uninterrupted. */
  lostAt: number | null;
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
  let subscription = subscriptions.coins.get(coin);
  if (!subscription) {
    subscription = { feed: '', lostAt: null };
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
    coins.set(first.coin, { feed, lostAt: null });
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
  const subscription = coins.get(coin) ?? { feed: '', lostAt: context.seen.get(coin)?.receivedAt ?? null };
  if (!coins.has(coin)) coins.set(coin, subscription);
  else if (subscription.lostAt === null) return;
  if (subscription.lostAt !== null) close(context, coin, subscription, missedBefore(context.seen, coin, trades));
  subscription.lostAt = context.receivedAt;
  emitRange(context, coin, context.receivedAt, { kind: 'gap', from: context.receivedAt, until: null });
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

function open(context: GapContext, coin: string, subscription: CoinSubscription, lostAt: number): void {
  if (subscription.lostAt !== null) return;
  subscription.lostAt = lostAt;
  // Without a known trade there is nothing that could have been missed.
  if (context.seen.has(coin)) emitRange(context, coin, lostAt, { kind: 'gap', from: lostAt, until: null });
}

function close(
  context: GapContext,
  coin: string,
  subscription: CoinSubscription,
  missed: { readonly from: number; readonly until: number } | null,
): void {
  const lostAt = subscription.lostAt!;
  subscription.lostAt = null;
  if (!context.seen.has(coin)) return;
  emitRange(context, coin, lostAt, missed ? { kind: 'gap', ...missed } : { kind: 'none', from: lostAt, until: lostAt });
}

function emitRange(
  { receivedAt, emit }: GapContext,
  coin: string,
  lostAt: number,
  range: Pick<CandleRange, 'kind' | 'from' | 'until'>,
): void {
  const provider = providerOf(coin);
  const source = sourceRulesOf(provider).recorded;
  const id = `gap ${lostAt}`;
  const full = { provider, coin, source, intervalMs: MINUTE_MS, id, ...range, receivedAt };
  emit(venueCandleRangeTopics.venue_a, coin, full);
}

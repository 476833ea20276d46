/**
 * The time before the trades of an outcome's coin are received. Bars of outcomes are complete wherever no gap is known, so
 * this time is a gap of its own. It lasts until the subscription is acknowledged, or until the oldest trade that the venue
 * replays then; that of a coin without a subscription is open. The two coins of an outcome are subscribed independently.
 */
import { START_RANGE_ID } from '#schemas/topics/candles';
import { isOutcomeCoin } from '#schemas/venues/venue-a/outcome-coin';
import { createSubscription, emitRange, type GapContext, UNKNOWN_FEED } from './trade-subscriptions.ts';

/** True if the trades of a coin were received before: then some may be missed while they are not. */
export function isFollowed({ subscriptions, seen }: GapContext, coin: string): boolean {
  return seen.has(coin) || typeof subscriptions.followed.get(coin) === 'number';
}

/**
 * States that nothing is known of a coin that was listed and is not followed. A coin of the first list in a recording that
 * began in progress counts as subscribed.
 */
export function openStart(context: GapContext, coin: string, isOfList: boolean): void {
  const { followed, awaitsFirstList } = context.subscriptions;
  if (awaitsFirstList && isOfList) followFromNow(context, coin);
  else {
    followed.set(coin, null);
    emitStart(context, coin, null);
  }
}

/** True for an outcome's coin of which nothing was received yet. Bars of other coins are complete from their first trade on. */
export function isBeforeStart(context: GapContext, coin: string): boolean {
  return isOutcomeCoin(coin) && !isFollowed(context, coin);
}

/** States since when the trades of an outcome's coin are received. */
export function endStart(context: GapContext, coin: string, since: number): void {
  context.subscriptions.followed.set(coin, since);
  emitStart(context, coin, since);
}

/**
 * Handles the first line of a connection that was open when its recording began: there are no acknowledgements of what was
 * subscribed before. The coins listed by then, or by the first list if there was none, count as subscribed; the recording
 * states the subscriptions of later ones.
 */
export function recordingBegan(context: GapContext): void {
  const { subscriptions } = context;
  if (subscriptions.awaitsFirstList !== null) return;
  const listed = [...subscriptions.followed].filter(
    ([coin, since]) => since === null && !subscriptions.coins.has(coin),
  );
  for (const [coin] of listed) followFromNow(context, coin);
  subscriptions.awaitsFirstList = listed.length === 0;
}

function followFromNow(context: GapContext, coin: string): void {
  context.subscriptions.coins.set(coin, createSubscription(UNKNOWN_FEED));
  endStart(context, coin, context.receivedAt);
}

/** @param until inclusive; null if it has not ended. */
function emitStart(context: GapContext, coin: string, until: number | null): void {
  emitRange(context, coin, { id: START_RANGE_ID, kind: 'gap', from: 0, until });
}

/** Chooses subscriptions and their connection slots (venue page, section 7). Pure. */
import { partitionOf } from '#schemas/topics/topic';
import type { Perp } from './coins.ts';

/** The subscription object of the venue's protocol. Subscriptions with equal JSON texts are equal. */
export type Subscription = Readonly<Record<string, string>>;

export interface WatchedCoins {
  readonly perps: readonly Perp[];
  readonly outcomeCoins: readonly string[];
  readonly bookCoins: readonly string[];
}

/** All subscriptions, most important first, since those beyond the venue's limit are dropped. */
export function wantedSubscriptions(watched: WatchedCoins): Subscription[] {
  const { perps, outcomeCoins, bookCoins } = watched;
  return [
    { type: 'allMids' },
    { type: 'outcomeMetaUpdates' },
    ...perps.map(({ coin }) => ({ type: 'trades', coin })),
    ...outcomeCoins.flatMap((coin) => [
      { type: 'trades', coin },
      { type: 'l2Book', coin },
    ]),
    ...bookCoins.map((coin) => ({ type: 'l2Book', coin })),
    ...perps.map(({ coin }) => ({ type: 'activeAssetCtx', coin })),
  ];
}

/** The slot of a subscription. It depends on the coin only, so that all frames of a coin stay in order. */
export function slotOf(subscription: Subscription, slots: number): number {
  return subscription.coin === undefined ? 0 : partitionOf(subscription.coin, slots);
}

export const subscribeFrame = (subscription: Subscription) => JSON.stringify({ method: 'subscribe', subscription });
export const unsubscribeFrame = (subscription: Subscription) => JSON.stringify({ method: 'unsubscribe', subscription });

/** What is subscribed to, and over which connection slot (venue page, section 7). Pure. */
import { partitionOf } from '#schemas/topics/topic';
import type { Perp } from './coins.ts';

/** The object that the venue subscribes by; equal texts are equal subscriptions. */
export type Subscription = Readonly<Record<string, string>>;

export interface Watched {
  readonly perps: readonly Perp[];
  readonly outcomeCoins: readonly string[];
  readonly bookCoins: readonly string[];
}

/** Everything to subscribe to, most important first: where the venue's limit cuts, the end of the list is lost. */
export function wantedSubscriptions(watched: Watched): Subscription[] {
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

/** The slot of a subscription: by its coin, so that a coin keeps its slot for good and all of it comes in one order. */
export function slotOf(subscription: Subscription, slots: number): number {
  return subscription.coin === undefined ? 0 : partitionOf(subscription.coin, slots);
}

export const subscribeFrame = (subscription: Subscription) => JSON.stringify({ method: 'subscribe', subscription });
export const unsubscribeFrame = (subscription: Subscription) => JSON.stringify({ method: 'unsubscribe', subscription });

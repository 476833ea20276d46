/** Chooses subscriptions and their connection slots (venue page, section 7). Pure. */
import { partitionOf } from '#schemas/topics/topic';
import type { Market } from './markets.ts';

/** The subscription object of the venue's protocol. Subscriptions with equal JSON texts are equal. */
export type Subscription = Readonly<Record<string, string>>;

export interface WatchedMarkets {
  /** By falling daily notional. */
  readonly markets: readonly Market[];
  readonly outcomeCoins: readonly string[];
  readonly bookCoins: readonly string[];
}

/** Feeds about all markets at once. Mids of builder dexes are in their contexts. */
const ALL_MARKETS: readonly Subscription[] = [
  { type: 'allMids' },
  { type: 'allDexsAssetCtxs' },
  { type: 'spotAssetCtxs' },
  { type: 'outcomeMetaUpdates' },
];

/** All subscriptions, most important first, since those beyond the venue's limit are left out. */
export function wantedSubscriptions({ markets, outcomeCoins, bookCoins }: WatchedMarkets): Subscription[] {
  const trades = (coin: string) => ({ type: 'trades', coin });
  const book = (coin: string) => ({ type: 'l2Book', coin });
  return [
    ...ALL_MARKETS,
    ...outcomeCoins.map(trades),
    ...markets.map(({ coin }) => trades(coin)),
    ...outcomeCoins.map(book),
    ...bookCoins.map(book),
  ];
}

/** What is left out of the subscriptions because the venue allows no more, by kind. */
export interface LeftOut {
  readonly trades: number;
  readonly books: number;
}

/** Cuts a list of subscriptions to the venue's limit. */
export function cutSubscriptions(
  wanted: readonly Subscription[],
  max: number,
): { readonly allowed: readonly Subscription[]; readonly leftOut: LeftOut } {
  const rest = wanted.slice(max);
  const count = (kind: string) => rest.filter(({ type }) => type === kind).length;
  return { allowed: wanted.slice(0, max), leftOut: { trades: count('trades'), books: count('l2Book') } };
}

/** The slot of a subscription. It depends on the coin only, so that all frames of a coin stay in order. */
export function slotOf(subscription: Subscription, slots: number): number {
  return subscription.coin === undefined ? 0 : partitionOf(subscription.coin, slots);
}

export const subscribeFrame = (subscription: Subscription) => JSON.stringify({ method: 'subscribe', subscription });
export const unsubscribeFrame = (subscription: Subscription) => JSON.stringify({ method: 'unsubscribe', subscription });

/** Chooses subscriptions and their connection slots (contract, The venue's limits). Pure. */
import { partitionOf } from '#schemas/topics/topic';
import { byVolume, type Market } from './markets.ts';

/** The subscription object of the venue's protocol. */
export interface Subscription {
  readonly type: string;
  readonly coin?: string;
  /** Address, lower case. */
  readonly user?: string;
}

/** A subscription with its position among all of them, 0 for the most important. */
export interface RankedSubscription {
  readonly subscription: Subscription;
  readonly rank: number;
}

export interface WatchedMarkets {
  /** All markets but outcomes. */
  readonly markets: readonly Market[];
  /** The coins of the sides of all listed outcomes. */
  readonly outcomes: readonly Market[];
  /** Outcome coins whose event has a market of another venue. */
  readonly linked: ReadonlySet<string>;
  /** True for coins that bound accounts hold. */
  readonly isHeld: (coin: string) => boolean;
  /** Addresses of the bound accounts whose fills are subscribed to. */
  readonly users: readonly string[];
  /** Coins whose books somebody reads now. */
  readonly requestedBooks: ReadonlySet<string>;
  /** The coins of `PARALLAX_VENUE_A_BOOK_COINS`. */
  readonly bookCoins: readonly string[];
}

/** Feeds about all markets at once. Mids of builder dexes are in their contexts. */
const ALL_MARKETS: readonly Subscription[] = [
  { type: 'allMids' },
  { type: 'allDexsAssetCtxs' },
  { type: 'spotAssetCtxs' },
  { type: 'outcomeMetaUpdates' },
];

/** Identifies a subscription. */
export const nameOf = ({ type, coin, user }: Subscription): string => `${type} ${coin ?? user ?? ''}`.trimEnd();

const trades = (coin: string): Subscription => ({ type: 'trades', coin });
const book = (coin: string): Subscription => ({ type: 'l2Book', coin });

/** All subscriptions, each once, in classes: the most important class first, and so within a class. */
export function wantedSubscriptions(watched: WatchedMarkets): Subscription[][] {
  const { markets, outcomes, linked, isHeld, users, requestedBooks, bookCoins } = watched;
  const known = [...markets, ...outcomes];
  const isLinked = ({ coin }: Market) => linked.has(coin);
  const coins = (of: readonly Market[]) => of.map(({ coin }) => coin);
  const linkedCoins = coins(outcomes.filter(isLinked));
  const classes = [
    ALL_MARKETS,
    linkedCoins.flatMap((coin) => [trades(coin), book(coin)]),
    users.map((user) => ({ type: 'userFills', user })),
    coins(outcomes.filter(({ coin }) => isHeld(coin))).map(book),
    coins(known.filter((market) => !isLinked(market)).sort(byVolume)).map(trades),
    coins(outcomes.filter((market) => !isLinked(market))).map(book),
    coins(known.filter(({ coin }) => requestedBooks.has(coin)).sort(byVolume)).map(book),
    bookCoins.map(book),
  ];
  const seen = new Set<string>();
  return classes.map((all) =>
    all.filter((subscription) => !seen.has(nameOf(subscription)) && seen.add(nameOf(subscription))),
  );
}

export interface LimitedSubscriptions {
  readonly allowed: readonly RankedSubscription[];
  /** The subscriptions that the venue's limit leaves out. */
  readonly leftOut: readonly Subscription[];
}

/** A subscription stays while it is at most this far below the limit within its class, as a part of the class. */
const STAY_SHARE = 0.1;

/**
 * Cuts subscriptions to the venue's limit. Where the limit falls within a class, those that are subscribed stay while they
 * are near it, so that markets of similar volume do not alternate. A more important class always displaces a lower one.
 * @param current names of the subscriptions of now.
 */
export function limitSubscriptions(
  classes: readonly (readonly Subscription[])[],
  max: number,
  current: ReadonlySet<string>,
): LimitedSubscriptions {
  const allowed: Subscription[] = [];
  const leftOut: Subscription[] = [];
  for (const all of classes) {
    const room = max - allowed.length;
    const chosen = all.length <= room ? new Set(all) : chooseAtLimit(all, room, current);
    for (const subscription of all) (chosen.has(subscription) ? allowed : leftOut).push(subscription);
  }
  return { allowed: allowed.map((subscription, rank) => ({ subscription, rank })), leftOut };
}

/** Chooses `room` of them: those well above the limit, then those near it that are subscribed, then the next ones. */
function chooseAtLimit(all: readonly Subscription[], room: number, current: ReadonlySet<string>): Set<Subscription> {
  const margin = Math.ceil(room * STAY_SHARE);
  const [safe, near] = [all.slice(0, room - margin), all.slice(room - margin, room + margin)];
  const staying = near.filter((subscription) => current.has(nameOf(subscription)));
  return new Set([...new Set([...safe, ...staying, ...near])].slice(0, room));
}

/**
 * The slot of a subscription. It depends on the coin only, so that all frames of a coin stay in order. Users share a slot, so
 * that the venue ends the subscription of one before it begins that of another.
 */
export function slotOf(subscription: Subscription, slots: number): number {
  return subscription.coin === undefined ? 0 : partitionOf(subscription.coin, slots);
}

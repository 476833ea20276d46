/** Holds what is known of the markets, and changes the subscriptions when any of it changes. */
import { parseJsonOrNull } from '#schemas/domain/json-fields';
import { isSpotCoin } from '#schemas/venues/venue-a/spot-coin';
import { chooseBookCoins, type MarketLists, outcomeCoins, readMarkets, readOutcomeMarkets } from './markets.ts';
import type { SubscriptionSlots } from './slots.ts';
import { wantedSubscriptions } from './subscriptions.ts';

/** Changes of this time are applied together. */
const GATHER_MS = 250;

export interface MarketWatcherOptions {
  readonly slots: Pick<SubscriptionSlots, 'update' | 'subscriptions'>;
  /** `PARALLAX_VENUE_A_BOOK_COINS`. */
  readonly bookCoins: string;
  readonly linked: () => ReadonlySet<string>;
  /** @param now unix ms. */
  readonly requestedBooks: (now: number) => ReadonlySet<string>;
}

export class MarketWatcher {
  private readonly options: MarketWatcherOptions;
  private lists: Omit<MarketLists, 'contexts'> | null = null;
  private outcomes: readonly number[] = [];
  /** The newest frame with the contexts of all dexes, which is read only when subscriptions are chosen. */
  private newestContexts: Buffer | null = null;
  private timer: NodeJS.Timeout | null = null;
  private perps: readonly string[] = [];

  constructor(options: MarketWatcherOptions) {
    this.options = options;
  }

  /** The listed perps and contracts, the most traded first. */
  get perpCoins(): readonly string[] {
    return this.perps;
  }

  setContexts(frame: Buffer): void {
    this.newestContexts = frame;
  }

  /** Changes the subscriptions to those of these lists. @param outcomes ids of the listed outcomes. */
  setLists(lists: Omit<MarketLists, 'contexts'>, outcomes: readonly number[]): void {
    this.lists = lists;
    this.outcomes = outcomes;
    this.update();
  }

  /** Called when links or requested books changed. */
  changed(): void {
    this.timer ??= setTimeout(() => this.update(), GATHER_MS);
  }

  close(): void {
    if (this.timer) clearTimeout(this.timer);
  }

  private update(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    // Everything follows from the lists, which are read at the start.
    if (!this.lists) return;
    const { slots, bookCoins, linked, requestedBooks } = this.options;
    const contexts = this.newestContexts && parseJsonOrNull(this.newestContexts.toString());
    const markets = readMarkets({ ...this.lists, contexts });
    this.perps = markets.map(({ coin }) => coin).filter((coin) => !isSpotCoin(coin));
    const books = slots.subscriptions().filter(({ type }) => type === 'l2Book');
    slots.update(
      wantedSubscriptions({
        markets,
        outcomes: readOutcomeMarkets(outcomeCoins(this.outcomes), this.lists.pairs),
        linked: linked(),
        requestedBooks: requestedBooks(Date.now()),
        bookCoins: chooseBookCoins(markets, bookCoins, new Set(books.map(({ coin = '' }) => coin))),
      }),
    );
  }
}

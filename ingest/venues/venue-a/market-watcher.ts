/** Holds what is known of the markets, and changes the subscriptions when any of it changes. */
import type { Logger } from 'pino';
import { parseJsonOrNull } from '#schemas/domain/json-fields';
import { findGone, type MissingSince } from '#schemas/venues/venue-a/missing-names';
import { isSpotCoin } from '#schemas/venues/venue-a/spot-coin';
import {
  type AnsweredLists,
  byVolume,
  chooseBookCoins,
  listedBookCoins,
  type Market,
  outcomeCoins,
  readMarkets,
  readNames,
  readOutcomeMarkets,
} from './markets.ts';
import type { SubscriptionSlots } from './slots.ts';
import { wantedSubscriptions } from './subscriptions.ts';

/** Changes of this time are applied together. */
const GATHER_MS = 250;

export interface MarketWatcherOptions {
  readonly slots: Pick<SubscriptionSlots, 'update'>;
  /** `PARALLAX_VENUE_A_BOOK_COINS`. */
  readonly bookCoins: string;
  readonly logger: Pick<Logger, 'warn'>;
  readonly linked: () => ReadonlySet<string>;
  readonly isHeld: (coin: string) => boolean;
  /** Addresses of the accounts whose fills are subscribed to. */
  readonly users: () => readonly string[];
  /** @param now unix ms. */
  readonly requestedBooks: (now: number) => ReadonlySet<string>;
  /** Monotonic ms. */
  readonly now?: () => number;
}

export class MarketWatcher {
  private readonly options: MarketWatcherOptions;
  private lists: AnsweredLists | null = null;
  private markets: readonly Market[] = [];
  /** Markets that the newest lists lack, and that are not gone yet. */
  private missing: readonly Market[] = [];
  private readonly missingSince: MissingSince = new Map();
  private outcomes: readonly number[] = [];
  /** The newest frame with the contexts of all dexes, which is read only when subscriptions are chosen. */
  private newestContexts: Buffer | null = null;
  private timer: NodeJS.Timeout | null = null;
  private perps: readonly string[] = [];
  private hasWarned = false;
  /** The coins that the setting chose last. Books that are subscribed for another reason do not count. */
  private chosenCoins: readonly string[] = [];

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

  /**
   * Changes the subscriptions to those of these lists. A market ends at once if it is listed as delisted, and if lists lack
   * it when it is gone from them. @param outcomes ids of the listed outcomes.
   */
  setLists(lists: AnsweredLists, outcomes: readonly number[]): void {
    const { now = () => performance.now() } = this.options;
    const names = readNames(lists);
    const known = this.markets.map(({ coin }) => coin);
    const gone = new Set(findGone(this.missingSince, known, names, now()));
    this.missing = this.markets.filter(({ coin }) => !names.has(coin) && !gone.has(coin));
    this.lists = lists;
    this.outcomes = outcomes;
    this.update();
    this.warnOfUnknown(names);
  }

  /** Called when links, requested books or users changed. */
  changed(): void {
    this.timer ??= setTimeout(() => this.update(), GATHER_MS);
  }

  close(): void {
    if (this.timer) clearTimeout(this.timer);
  }

  /** A listed coin may have been mistyped, or is not listed yet. @param names of the listed markets. */
  private warnOfUnknown(names: ReadonlySet<string>): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    const { bookCoins, logger } = this.options;
    const unknown = listedBookCoins(bookCoins)?.filter((coin) => !names.has(coin)) ?? [];
    if (unknown.length > 0)
      logger.warn({ coins: unknown }, 'PARALLAX_VENUE_A_BOOK_COINS names coins that venue_a does not list');
  }

  private update(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    // Everything follows from the lists, which are read at the start.
    if (!this.lists) return;
    const { lists } = this;
    const { slots, bookCoins, linked, isHeld, users, requestedBooks } = this.options;
    const contexts = this.newestContexts && parseJsonOrNull(this.newestContexts.toString());
    const markets = [...readMarkets({ ...lists, contexts }), ...this.missing].sort(byVolume);
    this.markets = markets;
    this.perps = markets.map(({ coin }) => coin).filter((coin) => !isSpotCoin(coin));
    this.chosenCoins = chooseBookCoins(markets, bookCoins, new Set(this.chosenCoins));
    slots.update(
      wantedSubscriptions({
        markets,
        outcomes: readOutcomeMarkets(outcomeCoins(this.outcomes), lists.pairs),
        linked: linked(),
        isHeld,
        users: users(),
        requestedBooks: requestedBooks(Date.now()),
        bookCoins: this.chosenCoins,
      }),
    );
  }
}

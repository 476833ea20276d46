/**
 * The catalog of venue_b: whole passes by keyset pages, and between the passes of a large catalog its newest markets.
 * Every answer is published; what is read of it is which markets are open.
 */

import type { FeedLife } from '../../feed/feed-life.ts';
import type { HttpClient } from '../../feed/http-client.ts';
import { parseAnswer } from '../../feed/json.ts';
import type { Publisher } from '../../publisher/publisher.ts';
import { below } from '../adapter.ts';
import { NEWEST_EVERY_MS, PAGE_MARKETS, PASS_EVERY_MS, PASS_PAGE_MS, PASS_PAGES_MAX } from './declaration.ts';
import { type ListedMarket, type MarketPage, readMarketPage } from './markets.ts';

const FEED = 'venue_b.gamma';

export interface CatalogSyncOptions {
  readonly url: string;
  readonly http: HttpClient;
  readonly life: FeedLife;
  readonly publisher: Publisher;
  readonly now?: () => number;
}

export class CatalogSync {
  private readonly options: CatalogSyncOptions;
  private readonly now: () => number;
  private known = new Map<string, ListedMarket>();
  private passDueAt = 0;

  constructor(options: CatalogSyncOptions) {
    this.options = options;
    this.now = options.now ?? Date.now;
  }

  /** Markets of the newest pass, and what has been listed since. */
  markets(): Iterable<ListedMarket> {
    return this.known.values();
  }

  /** A whole pass when one is due, the newest markets otherwise. Rejects when the venue does not answer. */
  async refresh(signal: AbortSignal): Promise<void> {
    if (this.now() >= this.passDueAt) await this.pass(signal);
    else await this.newest(signal);
  }

  /** Milliseconds until there is something to do. */
  restMs(): number {
    return Math.max(0, Math.min(NEWEST_EVERY_MS, this.passDueAt - this.now()));
  }

  private async pass(signal: AbortSignal): Promise<void> {
    const began = this.now();
    const found = new Map<string, ListedMarket>();
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null && pages < PASS_PAGES_MAX; pages += 1) {
      const after: string = cursor === '' ? '' : `&after_cursor=${encodeURIComponent(cursor)}`;
      const page = await this.ask(`/markets/keyset?limit=${PAGE_MARKETS}&closed=false${after}`, signal);
      for (const market of page.markets) found.set(market.conditionId, market);
      // A cursor that leads to itself would never end.
      cursor = page.nextCursor === cursor ? null : page.nextCursor;
    }
    // Only a pass that reached its end replaces what is known: half a catalog would drop what is watched.
    this.known = found;
    this.passDueAt = began + Math.max(PASS_EVERY_MS, pages * PASS_PAGE_MS);
  }

  private async newest(signal: AbortSignal): Promise<void> {
    const page = await this.ask(`/markets?limit=${PAGE_MARKETS}&closed=false&order=startDate&ascending=false`, signal);
    for (const market of page.markets) this.known.set(market.conditionId, market);
  }

  private async ask(path: string, signal: AbortSignal): Promise<MarketPage> {
    const { url, http, life, publisher } = this.options;
    await publisher.whenReady(signal);
    const payload = await http.ask({ url: below(url, path), weight: 1, signal });
    life.connect();
    publisher.receive({ source: FEED, feed: FEED, request: `GET ${path}`, payload });
    return readMarketPage(parseAnswer(payload, path));
  }
}

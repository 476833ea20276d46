/**
 * The open catalog of venue_b: whole passes by keyset pages, and its newest markets more often. What is read of it is
 * which markets are open; what changed since it was told last is published.
 */
import type { Logger } from 'pino';
import type { CatalogAnswer, CatalogSource } from './catalog-source.ts';
import {
  LOOK_UP_MARKETS,
  NEWEST_EVERY_MS,
  PAGE_MARKETS,
  PASS_EVERY_MS,
  PASS_PAGE_MS,
  PASS_PAGES_MAX,
} from './declaration.ts';
import { type ListedMarket, type MarketPage, readMarketPage } from './markets.ts';

export interface CatalogSyncOptions {
  readonly logger: Logger;
  /** Pages of one pass. */
  readonly pagesMax?: number;
}

export class CatalogSync {
  private readonly source: CatalogSource;
  private readonly logger: Logger;
  private readonly pagesMax: number;
  private known = new Map<string, ListedMarket>();
  private passDueAt = 0;
  private newestDueAt = 0;
  /** Changed markets on pages that were known otherwise, to be looked up together. */
  private changed: string[] = [];

  constructor(source: CatalogSource, { logger, pagesMax = PASS_PAGES_MAX }: CatalogSyncOptions) {
    this.source = source;
    this.logger = logger;
    this.pagesMax = pagesMax;
  }

  /** Markets of the newest pass, and what has been listed since. */
  markets(): Iterable<ListedMarket> {
    return this.known.values();
  }

  /**
   * A whole pass when one is due, the newest markets otherwise. Rejects when the venue does not answer.
   * @returns markets that a whole pass no longer listed.
   */
  async refresh(signal: AbortSignal): Promise<readonly string[]> {
    if (this.source.now() >= this.passDueAt) return this.pass(signal);
    await this.newestWhenDue(signal);
    return [];
  }

  /** Milliseconds until there is something to do. */
  restMs(): number {
    return Math.max(0, Math.min(this.newestDueAt, this.passDueAt) - this.source.now());
  }

  private async pass(signal: AbortSignal): Promise<readonly string[]> {
    const began = this.source.now();
    const found = new Map<string, ListedMarket>();
    // A pass takes in all that the newest would tell, but where it is long they are not waited for.
    this.newestDueAt = began + NEWEST_EVERY_MS;
    this.changed = [];
    let pages = 0;
    let isWhole = false;
    for (let cursor: string | null = ''; cursor !== null && pages < this.pagesMax; pages += 1) {
      const after: string = cursor === '' ? '' : `&after_cursor=${encodeURIComponent(cursor)}`;
      const page = await this.take(`/markets/keyset?limit=${PAGE_MARKETS}&closed=false${after}`, signal);
      for (const market of page.markets) found.set(market.conditionId, market);
      isWhole = page.nextCursor === null;
      // A cursor that leads to itself would never end.
      cursor = page.nextCursor === cursor ? null : page.nextCursor;
      if (this.changed.length >= LOOK_UP_MARKETS) await this.lookUpChanged(signal);
      if (cursor !== null) await this.newestWhenDue(signal, found);
    }
    await this.lookUpChanged(signal);
    this.passDueAt = began + Math.max(PASS_EVERY_MS, pages * PASS_PAGE_MS);
    if (!isWhole) {
      this.logger.warn(
        { pages, listed: found.size },
        'the open catalog of venue_b did not end: what lies beyond is not read',
      );
      this.add(found);
      return [];
    }
    // Only a pass that reached its end replaces what is known: half a catalog would drop what is watched.
    const vanished = [...this.known.keys()].filter((id) => !found.has(id));
    this.known = found;
    return vanished;
  }

  /** Adds to what is known, of which no more is kept than a pass can find: what was listed longest ago goes. */
  private add(found: ReadonlyMap<string, ListedMarket>): void {
    for (const [id, market] of found) {
      this.known.delete(id);
      this.known.set(id, market);
    }
    for (const oldest of this.known.keys()) {
      if (this.known.size <= this.pagesMax * PAGE_MARKETS) break;
      this.known.delete(oldest);
    }
  }

  /** @param found what the pass that is under way has found. */
  private async newestWhenDue(signal: AbortSignal, found?: Map<string, ListedMarket>): Promise<void> {
    if (this.source.now() < this.newestDueAt) return;
    this.newestDueAt = this.source.now() + NEWEST_EVERY_MS;
    const path = `/markets?limit=${PAGE_MARKETS}&closed=false&order=startDate&ascending=false`;
    const page = await this.take(path, signal);
    for (const market of page.markets) {
      this.known.set(market.conditionId, market);
      found?.set(market.conditionId, market);
    }
    await this.lookUpChanged(signal);
  }

  private async take(path: string, signal: AbortSignal): Promise<MarketPage> {
    const answer: CatalogAnswer = await this.source.ask(path, signal);
    this.changed.push(...this.source.publishNews(answer).few);
    return readMarketPage(answer.body);
  }

  private async lookUpChanged(signal: AbortSignal): Promise<void> {
    const ids = [...new Set(this.changed)];
    this.changed = [];
    await this.source.lookUp(ids, false, signal);
  }
}

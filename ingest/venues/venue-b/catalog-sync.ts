/**
 * Synchronizes the open catalog of venue_b: complete passes by keyset pages, and the newest markets more often. It tracks
 * which markets are open, and publishes new and changed ones.
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
  /** Maximum pages of one pass. */
  readonly pagesMax?: number;
}

export class CatalogSync {
  private readonly source: CatalogSource;
  private readonly logger: Logger;
  private readonly pagesMax: number;
  private known = new Map<string, ListedMarket>();
  private passDueAt = 0;
  private newestDueAt = 0;
  /** Changed markets of mostly unchanged pages, which are looked up together. */
  private changed: string[] = [];

  constructor(source: CatalogSource, { logger, pagesMax = PASS_PAGES_MAX }: CatalogSyncOptions) {
    this.source = source;
    this.logger = logger;
    this.pagesMax = pagesMax;
  }

  /** Markets of the newest pass and those listed since. */
  markets(): Iterable<ListedMarket> {
    return this.known.values();
  }

  /**
   * Runs a pass if one is due, else fetches the newest markets. Rejects if the venue does not answer.
   * @returns markets that a complete pass no longer listed.
   */
  async refresh(signal: AbortSignal): Promise<readonly string[]> {
    if (this.source.now() >= this.passDueAt) return this.pass(signal);
    await this.newestWhenDue(signal);
    return [];
  }

  /** Milliseconds until the next request is due. */
  untilDueMs(): number {
    return Math.max(0, Math.min(this.newestDueAt, this.passDueAt) - this.source.now());
  }

  private async pass(signal: AbortSignal): Promise<readonly string[]> {
    const startedAt = this.source.now();
    const found = new Map<string, ListedMarket>();
    // A pass covers the newest markets too, but a long one also fetches them in between.
    this.newestDueAt = startedAt + NEWEST_EVERY_MS;
    this.changed = [];
    let pages = 0;
    let isComplete = false;
    for (let cursor: string | null = ''; cursor !== null && pages < this.pagesMax; pages += 1) {
      const after: string = cursor === '' ? '' : `&after_cursor=${encodeURIComponent(cursor)}`;
      const page = await this.fetchPage(`/markets/keyset?limit=${PAGE_MARKETS}&closed=false${after}`, signal);
      for (const market of page.markets) found.set(market.conditionId, market);
      isComplete = page.nextCursor === null;
      // A cursor that returns itself would never end.
      cursor = page.nextCursor === cursor ? null : page.nextCursor;
      if (this.changed.length >= LOOK_UP_MARKETS) await this.lookUpChanged(signal);
      if (cursor !== null) await this.newestWhenDue(signal, found);
    }
    await this.lookUpChanged(signal);
    this.passDueAt = startedAt + Math.max(PASS_EVERY_MS, pages * PASS_PAGE_MS);
    if (!isComplete) {
      this.logger.warn(
        { pages, listed: found.size },
        'the open catalog of venue_b exceeds the page limit; the markets beyond it are not read',
      );
      this.addPartial(found);
      return [];
    }
    // Only a complete pass replaces the known markets: a part of the catalog would drop watched ones.
    const vanished = [...this.known.keys()].filter((id) => !found.has(id));
    this.known = found;
    return vanished;
  }

  /** Adds markets to the known ones, up to the maximum of a pass. The least recently listed are dropped. */
  private addPartial(found: ReadonlyMap<string, ListedMarket>): void {
    for (const [id, market] of found) {
      this.known.delete(id);
      this.known.set(id, market);
    }
    for (const oldest of this.known.keys()) {
      if (this.known.size <= this.pagesMax * PAGE_MARKETS) break;
      this.known.delete(oldest);
    }
  }

  /** @param found the markets of the running pass. */
  private async newestWhenDue(signal: AbortSignal, found?: Map<string, ListedMarket>): Promise<void> {
    if (this.source.now() < this.newestDueAt) return;
    this.newestDueAt = this.source.now() + NEWEST_EVERY_MS;
    const path = `/markets?limit=${PAGE_MARKETS}&closed=false&order=startDate&ascending=false`;
    const page = await this.fetchPage(path, signal);
    for (const market of page.markets) {
      this.known.set(market.conditionId, market);
      found?.set(market.conditionId, market);
    }
    await this.lookUpChanged(signal);
  }

  private async fetchPage(path: string, signal: AbortSignal): Promise<MarketPage> {
    const answer: CatalogAnswer = await this.source.fetch(path, signal);
    this.changed.push(...this.source.publishChanges(answer).few);
    return readMarketPage(answer.body);
  }

  private async lookUpChanged(signal: AbortSignal): Promise<void> {
    const ids = [...new Set(this.changed)];
    this.changed = [];
    await this.source.lookUp(ids, false, signal);
  }
}

/** Publishes recently closed markets: those that left the open catalog, and the newest of the closed list. */
import type { Logger } from 'pino';
import type { CatalogAnswer, CatalogSource } from './catalog-source.ts';
import {
  CLOSED_EVERY_MS,
  CURSOR_EVERY_ANSWERS,
  OFFSET_MAX,
  PAGE_MARKETS,
  VANISHED_LOOK_UPS,
  VANISHED_MAX,
} from './declaration.ts';

/** The venue can list a market as closed somewhat after its closing time. */
const MARGIN_MS = 3_600_000;
/** Path of the closed list, most recently closed first. */
const PATH = `/markets?limit=${PAGE_MARKETS}&closed=true&order=closedTime&ascending=false`;

/** True if a published request is for the first page: everything that closed before its answer was published by then. */
export function isFirstClosedPage(request: string): boolean {
  return request === `GET ${PATH}`;
}

export interface ClosedMarketsOptions {
  /** Everything that closed before this time is published, unix ms, according to the log (`readCrawlCursors`). */
  readonly publishedUntil: number;
  readonly logger: Logger;
}

export class ClosedMarkets {
  private readonly source: CatalogSource;
  private readonly logger: Logger;
  /** Unsuccessful lookups by condition id. */
  private readonly vanished = new Map<string, number>();
  /** Everything that closed before this time is published, unix ms. */
  private since: number;
  /** True if this process published everything since then: a known market means that all older ones are known too. */
  private isComplete = false;
  private dueAt = 0;
  /** `publishedCount` of the source at the last publication of the first page. */
  private publishedCountAtFirstPage = 0;

  constructor(source: CatalogSource, { publishedUntil, logger }: ClosedMarketsOptions) {
    this.source = source;
    this.logger = logger;
    this.since = publishedUntil - MARGIN_MS;
  }

  /** Adds markets that are no longer listed as open. Those beyond the limit are found in the closed list instead. */
  addVanished(ids: readonly string[]): void {
    for (const id of ids) {
      if (this.vanished.has(id)) continue;
      if (this.vanished.size < VANISHED_MAX) this.vanished.set(id, 0);
      else this.isComplete = false;
    }
  }

  /** Looks up vanished markets and reads the closed list. Rejects if the venue does not answer. */
  async refresh(signal: AbortSignal): Promise<void> {
    const startedAt = this.source.now();
    if (startedAt < this.dueAt) return;
    this.dueAt = startedAt + CLOSED_EVERY_MS;
    await this.lookUpVanished(signal);
    await this.publishClosed(signal);
    this.since = startedAt - MARGIN_MS;
  }

  private async lookUpVanished(signal: AbortSignal): Promise<void> {
    const found = await this.source.lookUp([...this.vanished.keys()], true, signal);
    for (const [id, lookUps] of this.vanished) {
      if (found.has(id) || lookUps + 1 >= VANISHED_LOOK_UPS) this.vanished.delete(id);
      else this.vanished.set(id, lookUps + 1);
    }
  }

  /**
   * Publishes from the newest market down to the known ones. The first page is published last and marks in the log that
   * the pages after it are published, so neither a failure nor the end of the process leaves a gap.
   */
  private async publishClosed(signal: AbortSignal): Promise<void> {
    const first = await this.source.fetch(PATH, signal);
    const untilKnown = this.isComplete;
    const isKnown = untilKnown && !this.source.isAllChanged(first);
    this.isComplete = false;
    if (!isKnown) await this.publishFurtherPages(first, untilKnown, signal);
    if (isKnown && this.source.publishedCount - this.publishedCountAtFirstPage < CURSOR_EVERY_ANSWERS) {
      await this.publishChanges(first, signal);
    } else {
      this.source.publish(first);
      this.publishedCountAtFirstPage = this.source.publishedCount;
    }
    this.isComplete = true;
  }

  private async publishFurtherPages(first: CatalogAnswer, untilKnown: boolean, signal: AbortSignal): Promise<void> {
    let page = first;
    for (let offset = PAGE_MARKETS; !this.isLast(page); offset += PAGE_MARKETS) {
      if (offset > OFFSET_MAX) {
        this.logger.warn(
          { since: this.since },
          'the closed list of venue_b is truncated; some closed markets are not published',
        );
        return;
      }
      page = await this.source.fetch(`${PATH}&offset=${offset}`, signal);
      const isAllChanged = await this.publishChanges(page, signal);
      if (untilKnown && !isAllChanged) return;
    }
  }

  /** True if everything that closed before the markets of a page is published. */
  private isLast({ markets }: CatalogAnswer): boolean {
    const oldest = markets.at(-1)?.closedAt ?? null;
    return markets.length < PAGE_MARKETS || oldest === null || oldest < this.since;
  }

  /** Publishes the new and changed markets of an answer. @returns true if all are new or changed. */
  private async publishChanges(answer: CatalogAnswer, signal: AbortSignal): Promise<boolean> {
    const { all, few } = this.source.publishChanges(answer);
    await this.source.lookUp(few, true, signal);
    return all;
  }
}

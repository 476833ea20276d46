/** Markets that closed lately: those that the open catalog no longer lists, and the newest of the closed ones. */
import type { Logger } from 'pino';
import type { CatalogAnswer, CatalogSource } from './catalog-source.ts';
import {
  CLOSED_EVERY_MS,
  OFFSET_MAX,
  PAGE_MARKETS,
  PLACE_EVERY_ANSWERS,
  VANISHED_LOOK_UPS,
  VANISHED_MAX,
} from './declaration.ts';

/** The venue tells a closing a little later than it happened. */
const MARGIN_MS = 3_600_000;
/** The markets that closed last, the newest first. */
const PATH = `/markets?limit=${PAGE_MARKETS}&closed=true&order=closedTime&ascending=false`;

/** Whether a request that was published asked for the first page: what closed before its answer was told by then. */
export function saysClosedAreTold(request: string): boolean {
  return request === `GET ${PATH}`;
}

export interface ClosedMarketsOptions {
  /** What closed before that moment was told, unix ms, as the log has it (`readPlaces`). */
  readonly toldUntil: number;
  readonly logger: Logger;
}

export class ClosedMarkets {
  private readonly source: CatalogSource;
  private readonly logger: Logger;
  /** By condition id, how often it was looked up in vain. */
  private readonly vanished = new Map<string, number>();
  /** What closed before that moment was told, unix ms. */
  private since: number;
  /** Whether all that closed since then was told by this process, so that what comes before a known one is known, too. */
  private isWhole = false;
  private dueAt = 0;
  /** Answers that the source had published when the first page was published last. */
  private saidAt = 0;

  constructor(source: CatalogSource, { toldUntil, logger }: ClosedMarketsOptions) {
    this.source = source;
    this.logger = logger;
    this.since = toldUntil - MARGIN_MS;
  }

  /** These are no longer listed as open. More than are looked up are looked for in the list of those that closed. */
  addVanished(ids: readonly string[]): void {
    for (const id of ids) {
      if (this.vanished.has(id)) continue;
      if (this.vanished.size < VANISHED_MAX) this.vanished.set(id, 0);
      else this.isWhole = false;
    }
  }

  /** Looks up what vanished, and asks for the markets that closed last. Rejects when the venue does not answer. */
  async refresh(signal: AbortSignal): Promise<void> {
    const began = this.source.now();
    if (began < this.dueAt) return;
    this.dueAt = began + CLOSED_EVERY_MS;
    await this.lookUpVanished(signal);
    await this.tellClosed(signal);
    this.since = began - MARGIN_MS;
  }

  private async lookUpVanished(signal: AbortSignal): Promise<void> {
    const found = await this.source.lookUp([...this.vanished.keys()], true, signal);
    for (const [id, lookUps] of this.vanished) {
      if (found.has(id) || lookUps + 1 >= VANISHED_LOOK_UPS) this.vanished.delete(id);
      else this.vanished.set(id, lookUps + 1);
    }
  }

  /**
   * From the newest one down to what is known. The first page is published last: it says in the log that those after it
   * were told, so neither a failure nor the end of the process leaves any of them out.
   */
  private async tellClosed(signal: AbortSignal): Promise<void> {
    const first = await this.source.ask(PATH, signal);
    const untilKnown = this.isWhole;
    const isKnown = untilKnown && !this.source.isAllNews(first);
    this.isWhole = false;
    if (!isKnown) await this.tellAfter(first, untilKnown, signal);
    if (isKnown && this.source.published - this.saidAt < PLACE_EVERY_ANSWERS) {
      await this.tell(first, signal);
    } else {
      this.source.publish(first);
      this.saidAt = this.source.published;
    }
    this.isWhole = true;
  }

  private async tellAfter(first: CatalogAnswer, untilKnown: boolean, signal: AbortSignal): Promise<void> {
    let page = first;
    for (let offset = PAGE_MARKETS; !this.isLast(page); offset += PAGE_MARKETS) {
      if (offset > OFFSET_MAX) {
        this.logger.warn({ since: this.since }, 'more markets of venue_b closed than its list goes back');
        return;
      }
      page = await this.source.ask(`${PATH}&offset=${offset}`, signal);
      const isAllNews = await this.tell(page, signal);
      if (untilKnown && !isAllNews) return;
    }
  }

  /** Whether what closed before the markets of a page was told. */
  private isLast({ markets }: CatalogAnswer): boolean {
    const oldest = markets.at(-1)?.closedAt ?? null;
    return markets.length < PAGE_MARKETS || oldest === null || oldest < this.since;
  }

  /** Publishes what is news of an answer. @returns whether all of it is. */
  private async tell(answer: CatalogAnswer, signal: AbortSignal): Promise<boolean> {
    const { all, few } = this.source.publishNews(answer);
    await this.source.lookUp(few, true, signal);
    return all;
  }
}

/**
 * Crawls the earlier markets, which closed before the first start, by keyset pages, a few in each round: first those of the
 * last months, which is quick, then the complete closed catalog, which takes many hours. The published answers contain the
 * cursor, so a restart continues from there.
 */
import { asObject, asText, parseJsonOrNull } from '#schemas/domain/json-fields';
import type { CatalogSource } from './catalog-source.ts';
import {
  CURSOR_EVERY_ANSWERS,
  EARLIER_ALL_PAGES,
  EARLIER_RECENT_MS,
  EARLIER_RECENT_PAGES,
  PAGE_MARKETS,
} from './declaration.ts';

const PATH = `/markets/keyset?limit=${PAGE_MARKETS}&closed=true`;

/** The next page of the crawl. */
export interface EarlierCursor {
  /** ISO-8601: markets with an earlier date or without a date are left out; null for all markets. */
  readonly since: string | null;
  /** The venue's cursor of the next page, or of the last page if there is no next; '' for the first page. */
  readonly page: string;
  readonly isDone: boolean;
}

export class EarlierMarkets {
  private readonly source: CatalogSource;
  private cursor: EarlierCursor | null;
  /** `publishedCount` of the source at the last published page. */
  private publishedCountAtCursor = 0;

  /** @param cursor from the log (`readCrawlCursors`); null if there is none. */
  constructor(source: CatalogSource, cursor: EarlierCursor | null) {
    this.source = source;
    this.cursor = cursor;
  }

  /** Publishes the next pages; after the last one, repeats it at long intervals. Rejects if the venue does not answer. */
  async refresh(signal: AbortSignal): Promise<void> {
    this.cursor ??= this.firstCursor();
    if (this.cursor.isDone && this.source.publishedCount - this.publishedCountAtCursor < CURSOR_EVERY_ANSWERS) return;
    const pagesMax = this.cursor.isDone ? 1 : this.cursor.since === null ? EARLIER_ALL_PAGES : EARLIER_RECENT_PAGES;
    for (let pages = 0; pages < pagesMax; pages += 1) {
      const answer = await this.source.fetch(pathOf(this.cursor), signal);
      this.source.publishUntracked(answer);
      this.publishedCountAtCursor = this.source.publishedCount;
      this.cursor = cursorAfter(this.cursor, answer.body);
      if (this.cursor.isDone) return;
    }
  }

  private firstCursor(): EarlierCursor {
    const day = new Date(this.source.now() - EARLIER_RECENT_MS).toISOString().slice(0, 10);
    return { since: `${day}T00:00:00Z`, page: '', isDone: false };
  }
}

/** The cursor after a published answer; null if it is not about earlier markets. */
export function earlierCursorAfter(request: string, payload: Buffer): EarlierCursor | null {
  return request.startsWith(`GET ${PATH}`) ? cursorAfter(cursorOf(request), parseJsonOrNull(payload.toString())) : null;
}

function pathOf({ since, page }: EarlierCursor): string {
  const from = since === null ? '' : `&end_date_min=${since}`;
  return `${PATH}${from}${page === '' ? '' : `&after_cursor=${encodeURIComponent(page)}`}`;
}

/** The cursor of a published request. */
function cursorOf(request: string): EarlierCursor {
  const query = new URLSearchParams(request.slice(request.indexOf('?')));
  return { since: query.get('end_date_min'), page: query.get('after_cursor') ?? '', isDone: false };
}

/**
 * @param requested the cursor of the request. @param body the answer; null if it is unreadable. It was published unchanged
 * then, so that the processors report it, and the page is requested again.
 */
function cursorAfter(requested: EarlierCursor, body: unknown): EarlierCursor {
  if (body === null) return { ...requested, isDone: false };
  const next = asText(asObject(body).next_cursor);
  // A cursor that returns itself would never end.
  if (next !== null && next !== requested.page) return { ...requested, page: next, isDone: false };
  // After the markets of the last months the crawl covers all of them, from the start.
  return requested.since === null ? { ...requested, isDone: true } : { since: null, page: '', isDone: false };
}

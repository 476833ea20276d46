/**
 * The earlier markets, which closed before the first start, by keyset pages, a few in each round: once through those of
 * the last months, which is soon done, and then once through the whole closed catalog, which takes many hours. The place
 * among them stands in the log, in the answers themselves, so a restart goes on from there.
 */
import { asObject, asText } from '../../feed/json.ts';
import type { CatalogSource } from './catalog-source.ts';
import {
  EARLIER_ALL_PAGES,
  EARLIER_RECENT_MS,
  EARLIER_RECENT_PAGES,
  PAGE_MARKETS,
  PLACE_EVERY_ANSWERS,
} from './declaration.ts';

const PATH = `/markets/keyset?limit=${PAGE_MARKETS}&closed=true`;

/** How far the earlier markets were told. */
export interface EarlierPlace {
  /** ISO-8601: markets whose date lies before are left out, and such as have none; null leaves none out. */
  readonly since: string | null;
  /** The cursor of the next page, or of the last one where there is no next; '' at the beginning. */
  readonly cursor: string;
  readonly isDone: boolean;
}

export class EarlierMarkets {
  private readonly source: CatalogSource;
  private place: EarlierPlace | null;
  /** Answers that the source had published when the place was said last. */
  private saidAt = 0;

  /** @param place as the log has it (`readPlaces`); null where there is none. */
  constructor(source: CatalogSource, place: EarlierPlace | null) {
    this.source = source;
    this.place = place;
  }

  /** Tells the next pages; once all are told, the last one at long intervals. Rejects when the venue does not answer. */
  async refresh(signal: AbortSignal): Promise<void> {
    this.place ??= this.beginning();
    if (this.place.isDone && this.source.published - this.saidAt < PLACE_EVERY_ANSWERS) return;
    const pagesMax = this.place.isDone ? 1 : this.place.since === null ? EARLIER_ALL_PAGES : EARLIER_RECENT_PAGES;
    for (let pages = 0; pages < pagesMax; pages += 1) {
      const answer = await this.source.ask(pathOf(this.place), signal);
      this.source.publishUnremembered(answer);
      this.saidAt = this.source.published;
      this.place = placeAfter(this.place, answer.body);
      if (this.place.isDone) return;
    }
  }

  private beginning(): EarlierPlace {
    const day = new Date(this.source.now() - EARLIER_RECENT_MS).toISOString().slice(0, 10);
    return { since: `${day}T00:00:00Z`, cursor: '', isDone: false };
  }
}

/** The place after an answer that was published; null where it is not about earlier markets. */
export function earlierPlaceAfter(request: string, payload: Buffer): EarlierPlace | null {
  return request.startsWith(`GET ${PATH}`) ? placeAfter(placeOf(request), parseOrNull(payload)) : null;
}

function pathOf({ since, cursor }: EarlierPlace): string {
  const from = since === null ? '' : `&end_date_min=${since}`;
  return `${PATH}${from}${cursor === '' ? '' : `&after_cursor=${encodeURIComponent(cursor)}`}`;
}

/** The page that a request of ours asked for. */
function placeOf(request: string): EarlierPlace {
  const query = new URLSearchParams(request.slice(request.indexOf('?')));
  return { since: query.get('end_date_min'), cursor: query.get('after_cursor') ?? '', isDone: false };
}

function parseOrNull(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString());
  } catch {
    // Published as it came, for the processors to say what is wrong with it; the page is asked for again.
    return null;
  }
}

/** @param asked the page that was answered, @param body null where it cannot be read. */
function placeAfter(asked: EarlierPlace, body: unknown): EarlierPlace {
  if (body === null) return { ...asked, isDone: false };
  const next = asText(asObject(body).next_cursor);
  // A cursor that leads to itself would never end.
  if (next !== null && next !== asked.cursor) return { ...asked, cursor: next, isDone: false };
  // After those of the last months all of them, from the beginning on.
  return asked.since === null ? { ...asked, isDone: true } : { since: null, cursor: '', isDone: false };
}

/** Questions to the catalog of venue_b, and what of their answers is published: only what tells something. */
import type { FeedLife } from '../../feed/feed-life.ts';
import type { HttpClient } from '../../feed/http-client.ts';
import { parseAnswer } from '../../feed/json.ts';
import type { Publisher } from '../../publisher/publisher.ts';
import { below } from '../adapter.ts';
import { LOOK_UP_MARKETS, PAGE_MARKETS, RETELL_MS, TOLD_MAX } from './declaration.ts';
import { type MarketDigest, readDigests, ToldMarkets } from './told-markets.ts';

export const CATALOG_FEED = 'venue_b.gamma';

export interface CatalogSourceOptions {
  readonly url: string;
  readonly http: HttpClient;
  readonly life: FeedLife;
  readonly publisher: Publisher;
  readonly now?: () => number;
}

/** An answer that is not published yet. */
export interface CatalogAnswer {
  readonly path: string;
  readonly payload: Buffer;
  /** The parsed payload. */
  readonly body: unknown;
  readonly markets: readonly MarketDigest[];
}

export class CatalogSource {
  readonly now: () => number;
  /** Answers published so far. */
  published = 0;
  private readonly options: CatalogSourceOptions;
  private readonly told = new ToldMarkets({ max: TOLD_MAX, retellMs: RETELL_MS });

  constructor(options: CatalogSourceOptions) {
    this.options = options;
    this.now = options.now ?? Date.now;
  }

  /** Asks, and publishes nothing. An answer that cannot be read is published all the same: it is for the processors. */
  async ask(path: string, signal: AbortSignal): Promise<CatalogAnswer> {
    const { url, http, life, publisher } = this.options;
    await publisher.whenReady(signal);
    const payload = await http.ask({ url: below(url, path), weight: 1, signal });
    life.connect();
    try {
      const body = parseAnswer(payload, path);
      return { path, payload, body, markets: readDigests(body) };
    } catch (error) {
      this.receive(path, payload);
      throw error;
    }
  }

  /** Publishes an answer as it came. */
  publish({ path, payload, markets }: CatalogAnswer): void {
    this.receive(path, payload);
    this.told.tell(markets, this.now());
  }

  /** Publishes an answer that will not come again: nothing is remembered of its markets. */
  publishUnremembered({ path, payload }: CatalogAnswer): void {
    this.receive(path, payload);
  }

  /** Whether an answer holds markets, of which none is known as it stands there. */
  isAllNews({ markets }: CatalogAnswer): boolean {
    return markets.length > 0 && this.told.news(markets, this.now()).length === markets.length;
  }

  /**
   * Publishes the answer where half of it or more is news, and nothing where nothing is.
   * @returns whether all of it was news, and the few markets that are the news of an answer that is mostly known: they
   * are to be looked up on their own.
   */
  publishNews(answer: CatalogAnswer): { readonly all: boolean; readonly few: readonly string[] } {
    const { markets } = answer;
    const news = this.told.news(markets, this.now()).map(({ conditionId }) => conditionId);
    if (news.length * 2 < markets.length) return { all: false, few: news };
    if (news.length > 0) this.publish(answer);
    return { all: news.length === markets.length, few: [] };
  }

  /** Looks markets up by their condition ids and publishes what is found. Gives the ids of these. */
  async lookUp(ids: readonly string[], isClosed: boolean, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (let at = 0; at < ids.length; at += LOOK_UP_MARKETS) {
      const named = ids.slice(at, at + LOOK_UP_MARKETS).map((id) => `&condition_ids=${encodeURIComponent(id)}`);
      const answer = await this.ask(`/markets?limit=${PAGE_MARKETS}&closed=${isClosed}${named.join('')}`, signal);
      if (answer.markets.length > 0) this.publish(answer);
      for (const { conditionId } of answer.markets) found.add(conditionId);
    }
    return found;
  }

  private receive(path: string, payload: Buffer): void {
    this.options.publisher.receive({ source: CATALOG_FEED, feed: CATALOG_FEED, request: `GET ${path}`, payload });
    this.published += 1;
  }
}

/** Sends requests to the catalog of venue_b, and publishes answers with new or changed markets only. */
import type { ConnectionState } from '../../feed/connection-state.ts';
import type { HttpClient } from '../../feed/http-client.ts';
import { parseAnswer } from '../../feed/json.ts';
import type { Publisher } from '../../publisher/publisher.ts';
import { joinUrl } from '../adapter.ts';
import { LOOK_UP_MARKETS, PAGE_MARKETS, PUBLISHED_MARKETS_MAX, REPUBLISH_MS } from './declaration.ts';
import { type MarketDigest, PublishedMarkets, readDigests } from './published-markets.ts';

const CATALOG_FEED = 'venue_b.gamma';

export interface CatalogSourceOptions {
  readonly url: string;
  readonly http: HttpClient;
  readonly connection: ConnectionState;
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
  /** Monotonic ms: the wall clock may be set. */
  readonly now: () => number;
  /** Answers published so far. */
  publishedCount = 0;
  private readonly options: CatalogSourceOptions;
  private readonly publishedMarkets = new PublishedMarkets({ max: PUBLISHED_MARKETS_MAX, republishMs: REPUBLISH_MS });

  constructor(options: CatalogSourceOptions) {
    this.options = options;
    this.now = options.now ?? (() => performance.now());
  }

  /** Fetches an answer without publishing it. Only an unreadable one is published, so that the processors report it. */
  async fetch(path: string, signal: AbortSignal): Promise<CatalogAnswer> {
    const { url, http, connection, publisher } = this.options;
    await publisher.whenReady(signal);
    const payload = await http.send({ url: joinUrl(url, path), weight: 1, signal });
    connection.markConnected();
    try {
      const body = parseAnswer(payload, path);
      return { path, payload, body, markets: readDigests(body) };
    } catch (error) {
      this.receive(path, payload);
      throw error;
    }
  }

  /** Publishes an answer unchanged. */
  publish({ path, payload, markets }: CatalogAnswer): void {
    this.receive(path, payload);
    this.publishedMarkets.markPublished(markets, this.now());
  }

  /** Publishes an answer that is fetched only once: its markets are not tracked. */
  publishUntracked({ path, payload }: CatalogAnswer): void {
    this.receive(path, payload);
  }

  /** True if an answer contains markets and all are new or changed. */
  isAllChanged({ markets }: CatalogAnswer): boolean {
    return markets.length > 0 && this.publishedMarkets.changedMarkets(markets, this.now()).length === markets.length;
  }

  /**
   * Publishes the answer if at least half of its markets are new or changed.
   * @returns `all`: true if all are new or changed; `few`: the changed markets of an unpublished answer, which the caller
   * looks up individually.
   */
  publishChanges(answer: CatalogAnswer): { readonly all: boolean; readonly few: readonly string[] } {
    const { markets } = answer;
    const changed = this.publishedMarkets.changedMarkets(markets, this.now()).map(({ conditionId }) => conditionId);
    if (changed.length * 2 < markets.length) return { all: false, few: changed };
    if (changed.length > 0) this.publish(answer);
    return { all: changed.length === markets.length, few: [] };
  }

  /** Looks markets up by condition id and publishes the answers. Resolves with the ids that were found. */
  async lookUp(ids: readonly string[], isClosed: boolean, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for await (const answer of this.answersAbout('condition_ids', ids, isClosed, signal)) {
      if (answer.markets.length > 0) this.publish(answer);
      for (const { conditionId } of answer.markets) found.add(conditionId);
    }
    return found;
  }

  /**
   * Looks up the closed markets of tokens and publishes the answers. Resolves with their condition ids. The markets are not
   * tracked: those that closed at the same time are not published yet.
   */
  async lookUpTokens(tokens: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for await (const answer of this.answersAbout('clob_token_ids', tokens, true, signal)) {
      if (answer.markets.length > 0) this.publishUntracked(answer);
      for (const { conditionId } of answer.markets) found.add(conditionId);
    }
    return found;
  }

  private async *answersAbout(
    parameter: 'condition_ids' | 'clob_token_ids',
    ids: readonly string[],
    isClosed: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<CatalogAnswer> {
    for (let at = 0; at < ids.length; at += LOOK_UP_MARKETS) {
      const parameters = ids.slice(at, at + LOOK_UP_MARKETS).map((id) => `&${parameter}=${encodeURIComponent(id)}`);
      yield await this.fetch(`/markets?limit=${PAGE_MARKETS}&closed=${isClosed}${parameters.join('')}`, signal);
    }
  }

  private receive(path: string, payload: Buffer): void {
    this.options.publisher.receive({ source: CATALOG_FEED, feed: CATALOG_FEED, request: `GET ${path}`, payload });
    this.publishedCount += 1;
  }
}

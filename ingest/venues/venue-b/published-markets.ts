/**
 * Tracks the published state of each market, so that answers in which only prices and volumes changed are not published.
 * Bounded: the least recently seen markets are dropped first.
 */
import { hash } from 'node:crypto';
import { asList, asObject, asText } from '#schemas/domain/json-fields';
import { parseCatalogTime } from '#schemas/venues/venue-b/catalog-time';

/**
 * Fields that do not count as a change of the market: figures, and the times of their changes. All other fields count, so
 * that a new field of the venue is published too often rather than never.
 */
const MOVING =
  /^(volume|liquidity|best(Bid|Ask)$|spread$|lastTradePrice$|outcomePrices$|one[A-Z]\w*PriceChange$|updatedAt$|competitive$|commentCount$|openInterest$|score$|tweetCount$|clobRewards$)/;

/** The state of a market in an answer. */
export interface MarketDigest {
  readonly conditionId: string;
  readonly digest: string;
  /** Unix ms; null if the answer does not contain it. */
  readonly closedAt: number | null;
}

/** Reads the markets of an answer in either format: a list, or `{markets, next_cursor}`. */
export function readDigests(answer: unknown): MarketDigest[] {
  const listed = Array.isArray(answer) ? answer : asList(asObject(answer).markets);
  return listed.flatMap((entry) => {
    const { conditionId, closedTime } = asObject(entry);
    const id = asText(conditionId);
    return id === null ? [] : [{ conditionId: id, digest: digestOf(entry), closedAt: parseCatalogTime(closedTime) }];
  });
}

function digestOf(market: unknown): string {
  const stable = JSON.stringify(market, (key, value: unknown) => (MOVING.test(key) ? undefined : value));
  return hash('sha1', stable, 'base64');
}

interface PublishedMarket {
  readonly digest: string;
  readonly at: number;
}

export class PublishedMarkets {
  private readonly max: number;
  private readonly republishMs: number;
  /** By condition id, least recently seen first. */
  private readonly published = new Map<string, PublishedMarket>();

  constructor(options: { readonly max: number; readonly republishMs: number }) {
    this.max = options.max;
    this.republishMs = options.republishMs;
  }

  /** Returns the markets that are new, that changed, or that were published long ago. */
  changedMarkets(markets: readonly MarketDigest[], now: number): MarketDigest[] {
    return markets.filter(({ conditionId, digest }) => {
      const before = this.published.get(conditionId);
      if (!before) return true;
      this.published.delete(conditionId);
      this.published.set(conditionId, before);
      return before.digest !== digest || now - before.at >= this.republishMs;
    });
  }

  /** Records that these markets were published. */
  markPublished(markets: readonly MarketDigest[], now: number): void {
    for (const { conditionId, digest } of markets) {
      this.published.delete(conditionId);
      this.published.set(conditionId, { digest, at: now });
    }
    for (const oldest of this.published.keys()) {
      if (this.published.size <= this.max) break;
      this.published.delete(oldest);
    }
  }
}

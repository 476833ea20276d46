/**
 * How each market was told last, so that answers in which nothing but prices and volumes moved are not kept over and over.
 * Bounded: the markets that were mentioned longest ago are forgotten first.
 */
import { hash } from 'node:crypto';
import { readCatalogTime } from '#schemas/venues/venue-b/catalog-time';
import { asList, asObject, asText } from '../../feed/json.ts';

/**
 * Fields that move without the market changing: figures, and times of the last change of them. What is not named here
 * counts as a change, so that a field that is new on the venue is rather told too often than missed.
 */
const MOVING =
  /^(volume|liquidity|best(Bid|Ask)$|spread$|lastTradePrice$|outcomePrices$|one[A-Z]\w*PriceChange$|updatedAt$|competitive$|commentCount$|openInterest$|score$|tweetCount$|clobRewards$)/;

/** How a market of an answer stands there. */
export interface MarketDigest {
  readonly conditionId: string;
  readonly digest: string;
  /** Unix ms; null where it is not told. */
  readonly closedAt: number | null;
}

/** Reads the markets of either listing: a bare list, or `{markets, next_cursor}`. */
export function readDigests(answer: unknown): MarketDigest[] {
  const listed = Array.isArray(answer) ? answer : asList(asObject(answer).markets);
  return listed.flatMap((entry) => {
    const { conditionId, closedTime } = asObject(entry);
    const id = asText(conditionId);
    return id === null ? [] : [{ conditionId: id, digest: digestOf(entry), closedAt: readCatalogTime(closedTime) }];
  });
}

function digestOf(market: unknown): string {
  const lasting = JSON.stringify(market, (key, value: unknown) => (MOVING.test(key) ? undefined : value));
  return hash('sha1', lasting, 'base64');
}

interface Told {
  readonly digest: string;
  readonly at: number;
}

export class ToldMarkets {
  private readonly max: number;
  private readonly retellMs: number;
  /** By condition id, the one that was mentioned longest ago first. */
  private readonly told = new Map<string, Told>();

  constructor(options: { readonly max: number; readonly retellMs: number }) {
    this.max = options.max;
    this.retellMs = options.retellMs;
  }

  /** The markets that are new, that changed, or that were told long ago. */
  news(markets: readonly MarketDigest[], now: number): MarketDigest[] {
    return markets.filter(({ conditionId, digest }) => {
      const before = this.told.get(conditionId);
      if (!before) return true;
      this.told.delete(conditionId);
      this.told.set(conditionId, before);
      return before.digest !== digest || now - before.at >= this.retellMs;
    });
  }

  /** These were told now. */
  tell(markets: readonly MarketDigest[], now: number): void {
    for (const { conditionId, digest } of markets) {
      this.told.delete(conditionId);
      this.told.set(conditionId, { digest, at: now });
    }
    for (const oldest of this.told.keys()) {
      if (this.told.size <= this.max) break;
      this.told.delete(oldest);
    }
  }
}

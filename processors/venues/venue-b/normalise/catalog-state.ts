/** Stores the markets of the catalog with all their ids, and evicts some of them beyond a bound. */
import { parseCatalogTime } from '#schemas/venues/venue-b/catalog-time';
import { compressPatches, decompressPatches } from './compressed-catalog.ts';
import { isClosed, type MarketPatches, marketRecord } from './market-patch.ts';

/**
 * Most markets in memory, at some 1.2 KB each (1.4 KB after a restart). Beyond it, markets that were closed long ago
 * when they first came are evicted, then other closed ones, then open ones, each group in order of last mention. So a
 * crawl of the complete closed catalog evicts nothing but its own markets. An evicted market that comes again is
 * emitted again. The bound exceeds the 200,000 open markets that ingest lists (`ingest/venues/venue-b`), each at least
 * once a week, so an open market is evicted only when no catalog has listed it for longer than that.
 */
const MARKETS_MAX = 250_000;
/** Evicted at once: to find its first entry, a map steps over the entries that were removed before it. */
const MARKETS_EVICTED = 1_000;

export interface CatalogBounds {
  /** Most markets in memory. */
  readonly max: number;
  /** Markets evicted at once beyond that. */
  readonly evicted: number;
}
export const CATALOG_BOUNDS: CatalogBounds = { max: MARKETS_MAX, evicted: MARKETS_EVICTED };

/** A market closed for longer is expected to have no more events: its resolution on the chain follows within days. */
const CLOSED_LONG_AGO_MS = 7 * 86_400_000;

/** The market and the outcome of a token. */
export interface TokenMarket {
  readonly marketId: string;
  readonly outcome: string;
}

export interface CatalogState {
  /** Compressed patches (`compressPatches`) of markets that are not closed, by condition id, last mention last. */
  readonly open: Map<string, string>;
  /** The same for closed markets. */
  readonly closed: Map<string, string>;
  /** The same for markets that were closed for `CLOSED_LONG_AGO_MS` or longer when they first came. */
  readonly closedLongAgo: Map<string, string>;
  /** Markets and outcome names by token id. */
  readonly tokens: Map<string, TokenMarket>;
  /** Condition id by gamma's own id, which the oracle's texts contain. */
  readonly gammaIds: Map<string, string>;
  /** Condition id by the id of the oracle request that resolves it, for neg-risk markets. */
  readonly requestIds: Map<string, string>;
}

export function createCatalogState(): CatalogState {
  return {
    open: new Map(),
    closed: new Map(),
    closedLongAgo: new Map(),
    tokens: new Map(),
    gammaIds: new Map(),
    requestIds: new Map(),
  };
}

/** Returns the patches of a market; undefined for an unknown market. */
export function patchesOf(
  { open, closed, closedLongAgo }: CatalogMarkets,
  marketId: string,
): MarketPatches | undefined {
  const compressed = open.get(marketId) ?? closed.get(marketId) ?? closedLongAgo.get(marketId);
  return compressed === undefined ? undefined : decompressPatches(compressed);
}

/** The maps that `patchesOf` reads. */
export type CatalogMarkets = Pick<CatalogState, 'open' | 'closed' | 'closedLongAgo'>;

/** Ids by which the oracle may refer to a market. */
export interface OracleNames {
  readonly gammaId?: string;
  readonly requestId?: string;
}

/** Stores the patches of a market, as the most recently mentioned one. */
export function storePatches(
  catalog: CatalogState,
  marketId: string,
  patches: MarketPatches,
  receivedAt: number,
): void {
  const { open, closed, closedLongAgo } = catalog;
  // A market that closed lately was open here before, or closed since: ingest lists it once and relies on it being
  // stored.
  const wasLive = open.delete(marketId) || closed.delete(marketId);
  closedLongAgo.delete(marketId);
  const markets = !isClosed(patches) ? open : !wasLive && isClosedLongAgo(patches, receivedAt) ? closedLongAgo : closed;
  markets.set(marketId, compressPatches(patches));
}

/** Evicts markets beyond the bound. Open ones go last: an unchanged market may trade for days without a mention. */
export function evictOldest(catalog: CatalogState, { max, evicted }: CatalogBounds): void {
  const { open, closed, closedLongAgo } = catalog;
  if (open.size + closed.size + closedLongAgo.size <= max) return;
  let left = evicted;
  for (const markets of [closedLongAgo, closed, open]) {
    for (const [marketId, compressed] of markets) {
      if (left === 0) return;
      markets.delete(marketId);
      removeNames(catalog, marketId, decompressPatches(compressed));
      left -= 1;
    }
  }
}

/** Compares the time of closing, or else the end time; false where the venue stated neither. */
function isClosedLongAgo({ gamma, clob }: MarketPatches, receivedAt: number): boolean {
  const end = parseCatalogTime(gamma.fields.closedTime) ?? gamma.endTime ?? clob.endTime;
  return end !== undefined && receivedAt - end > CLOSED_LONG_AGO_MS;
}

function removeNames(catalog: CatalogState, marketId: string, patches: MarketPatches): void {
  for (const token of marketRecord(marketId, patches).instruments) catalog.tokens.delete(token);
  const { gammaId = '', requestId = '' } = oracleNames(patches);
  catalog.gammaIds.delete(gammaId);
  catalog.requestIds.delete(requestId);
}

/** Returns the ids by which the oracle may refer to the market. Gamma's value outranks the CLOB's, as everywhere. */
export function oracleNames({ gamma, clob }: MarketPatches): OracleNames {
  const { gammaId } = gamma.fields;
  const requestId = gamma.fields.negRiskRequestID ?? clob.fields.negRiskRequestID;
  return {
    ...(typeof gammaId === 'string' ? { gammaId } : {}),
    ...(typeof requestId === 'string' ? { requestId: requestId.toLowerCase() } : {}),
  };
}

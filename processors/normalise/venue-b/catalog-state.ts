/** The markets of the catalog that are remembered, under all their names, and which of them are forgotten. */
import { readCatalogTime } from '#schemas/venues/venue-b/catalog-time';
import { type MarketTellings, marketRecord } from './market-telling.ts';
import { packTellings, unpackTellings } from './packed-tellings.ts';

/**
 * Markets kept, at some 1.2 KB each (1.4 KB after a restart); beyond it those that were long over when they first
 * came are forgotten, then others that are over, those first that were mentioned longest ago; they are told anew when they
 * come again. So the walk through the whole closed catalog pushes out nothing but what it brought. More than ingest lists as open (200,000,
 * `ingest/venues/venue-b`), each of which it tells once a week at least: one that is open is only forgotten if no catalog
 * has listed it for longer than that.
 */
const MARKETS_MAX = 250_000;
/** As many go at once: to find the first entry, a map steps over those removed before it. */
const MARKETS_EVICTED = 1_000;

export interface CatalogBounds {
  /** Markets kept. */
  readonly max: number;
  /** Forgotten at once beyond that. */
  readonly evicted: number;
}
export const CATALOG_BOUNDS: CatalogBounds = { max: MARKETS_MAX, evicted: MARKETS_EVICTED };

/** Nothing is expected any more of a market that is over for so long: what the chain says of an end comes within days. */
const LONG_OVER_MS = 7 * 86_400_000;

/** Where a token belongs. */
export interface TokenPlace {
  readonly marketId: string;
  readonly outcome: string;
}

export interface CatalogState {
  /** What was told of markets that are not over (`packTellings`), by condition id, mentioned longest ago first. */
  readonly open: Map<string, string>;
  /** The same of those that are over. */
  readonly over: Map<string, string>;
  /** Of these, such as were over for a week when they first came (`LONG_OVER_MS`). */
  readonly past: Map<string, string>;
  /** By token id. */
  readonly tokens: Map<string, TokenPlace>;
  /** Condition id by gamma's own id, which the oracle's texts name. */
  readonly gammaIds: Map<string, string>;
  /** Condition id by the request that decides it, of neg-risk markets. */
  readonly requestIds: Map<string, string>;
}

export function createCatalogState(): CatalogState {
  return {
    open: new Map(),
    over: new Map(),
    past: new Map(),
    tokens: new Map(),
    gammaIds: new Map(),
    requestIds: new Map(),
  };
}

/** What was told of a market; undefined for one that is not known. */
export function tellingsOf({ open, over, past }: MarketsTold, marketId: string): MarketTellings | undefined {
  const packed = open.get(marketId) ?? over.get(marketId) ?? past.get(marketId);
  return packed === undefined ? undefined : unpackTellings(packed);
}

/** The part of the catalog that `tellingsOf` reads. */
export type MarketsTold = Pick<CatalogState, 'open' | 'over' | 'past'>;

/** By what the oracle may name a market. */
export interface OracleNames {
  readonly gammaId?: string;
  readonly requestId?: string;
}

/** Keeps what was told of a market as the newest. */
export function remember(catalog: CatalogState, marketId: string, tellings: MarketTellings, receivedAt: number): void {
  const { open, over, past } = catalog;
  // What is listed as closed lately was open here before, or is over since then: ingest tells it once and relies on it.
  const wasLive = open.delete(marketId) || over.delete(marketId);
  past.delete(marketId);
  const markets = !isOver(tellings) ? open : !wasLive && isLongOver(tellings, receivedAt) ? past : over;
  markets.set(marketId, packTellings(tellings));
}

/** Beyond the bound. What trades may not be mentioned for days while nothing of it changes, so open ones go last. */
export function forgetOldest(catalog: CatalogState, { max, evicted }: CatalogBounds): void {
  const { open, over, past } = catalog;
  if (open.size + over.size + past.size <= max) return;
  let left = evicted;
  for (const markets of [past, over, open]) {
    for (const [marketId, packed] of markets) {
      if (left === 0) return;
      markets.delete(marketId);
      forgetNames(catalog, marketId, unpackTellings(packed));
      left -= 1;
    }
  }
}

function isOver({ gamma, clob }: MarketTellings): boolean {
  return (gamma.closed ?? clob.closed) === true;
}

/** By the time of its closing, else by its end; false where neither is told. */
function isLongOver({ gamma, clob }: MarketTellings, receivedAt: number): boolean {
  const end = readCatalogTime(gamma.fields.closedTime) ?? gamma.endTime ?? clob.endTime;
  return end !== undefined && receivedAt - end > LONG_OVER_MS;
}

function forgetNames(catalog: CatalogState, marketId: string, tellings: MarketTellings): void {
  for (const token of marketRecord(marketId, tellings).instruments) catalog.tokens.delete(token);
  const { gammaId = '', requestId = '' } = oracleNames(tellings);
  catalog.gammaIds.delete(gammaId);
  catalog.requestIds.delete(requestId);
}

/** Gamma's word before that of the CLOB, as everywhere. */
export function oracleNames({ gamma, clob }: MarketTellings): OracleNames {
  const { gammaId } = gamma.fields;
  const requestId = gamma.fields.negRiskRequestID ?? clob.fields.negRiskRequestID;
  return {
    ...(typeof gammaId === 'string' ? { gammaId } : {}),
    ...(typeof requestId === 'string' ? { requestId: requestId.toLowerCase() } : {}),
  };
}

/** The catalog, merged from both of the venue's APIs: one market per condition id. */

import type { Emit } from '#infra/stages/stage';
import { isJsonObject, type JsonObject, quoteJson } from '#schemas/domain/json-fields';
import { marketTopics } from '#schemas/topics/normalised';
import { rejectMalformed } from '../../shared/malformed.ts';
import { MALFORMED_MARKET } from './catalog-fields.ts';
import {
  CATALOG_BOUNDS,
  type CatalogBounds,
  type CatalogState,
  evictOldest,
  type OracleNames,
  oracleNames,
  patchesOf,
  storePatches,
  type TokenMarket,
} from './catalog-state.ts';
import { readClobMarket } from './clob-market.ts';
import { readGammaMarket } from './gamma-market.ts';
import { applyPatch, canonicalJson, type MarketPatches, marketRecord } from './market-patch.ts';

/** Callbacks for changes of the catalog. */
export interface CatalogEffects {
  /** Called when a market is new or changed. */
  onMarket(marketId: string, names: OracleNames): void;
  /** Called when a token is first listed with its market. */
  onTokenListed(token: string, market: TokenMarket): void;
  /** Called for each token of a market that closed, or that changed after it did. */
  onClosed(token: string): void;
}

/**
 * Processes every market of an answer, whatever the request was: a list, a keyset page, a CLOB page, one event or
 * market, a search. Content without a market is ignored. A market that cannot be read becomes a dead letter; its
 * siblings are still processed.
 */
export function processCatalogAnswer(
  catalog: CatalogState,
  answer: unknown,
  receivedAt: number,
  emit: Emit,
  effects: CatalogEffects,
  bounds: CatalogBounds = CATALOG_BOUNDS,
): void {
  walkMarkets(answer, null, (market, event) => {
    try {
      const isClob = 'condition_id' in market;
      const { marketId, patch } = isClob ? readClobMarket(market) : readGammaMarket(market, event);
      const known = patchesOf(catalog, marketId);
      const change = (patches: MarketPatches) => applyPatch(patches, isClob ? 'clob' : 'gamma', patch);
      changeMarket(catalog, { marketId, known, change }, receivedAt, emit, effects);
      evictOldest(catalog, bounds);
    } catch (error) {
      const id = quoteJson(market.conditionId ?? market.condition_id ?? market.id);
      rejectMalformed(error, MALFORMED_MARKET, emit, `market ${id}: `);
    }
  });
}

type VisitMarket = (market: JsonObject, event: JsonObject | null) => void;

/** Finds markets by their fields: the same objects occur in every shape of list and page. */
function walkMarkets(value: unknown, event: JsonObject | null, visit: VisitMarket): void {
  if (Array.isArray(value)) {
    for (const entry of value) walkMarkets(entry, event, visit);
    return;
  }
  if (!isJsonObject(value)) return;
  if ('conditionId' in value || 'condition_id' in value || 'clobTokenIds' in value) {
    visit(value, event);
    return;
  }
  if (Array.isArray(value.markets))
    walkMarkets(value.markets, 'title' in value || 'slug' in value ? value : null, visit);
  if (Array.isArray(value.events)) walkMarkets(value.events, null, visit);
  if (Array.isArray(value.data)) walkMarkets(value.data, null, visit);
}

/** Closes a market that the socket reported as resolved. The catalogs state it some seconds later. */
export function endMarket(
  catalog: CatalogState,
  marketId: string,
  receivedAt: number,
  emit: Emit,
  effects: CatalogEffects,
): void {
  const known = patchesOf(catalog, marketId);
  if (!known) return;
  const change = (patches: MarketPatches) => {
    patches.ended = true;
  };
  changeMarket(catalog, { marketId, known, change }, receivedAt, emit, effects);
}

interface MarketChange {
  readonly marketId: string;
  /** Undefined for a new market. */
  readonly known: MarketPatches | undefined;
  readonly change: (patches: MarketPatches) => void;
}

function changeMarket(
  catalog: CatalogState,
  { marketId, known, change }: MarketChange,
  receivedAt: number,
  emit: Emit,
  effects: CatalogEffects,
): void {
  const before = known && marketRecord(marketId, known);
  const patches = known ?? { gamma: { fields: {} }, clob: { fields: {} } };
  change(patches);
  storePatches(catalog, marketId, patches, receivedAt);
  const record = marketRecord(marketId, patches);
  if (before && canonicalJson(before) === canonicalJson(record)) return;
  emit(marketTopics.venue_b, marketId, { ...record, receivedAt });
  const names = oracleNames(patches);
  if (names.gammaId !== undefined) catalog.gammaIds.set(names.gammaId, marketId);
  if (names.requestId !== undefined) catalog.requestIds.set(names.requestId, marketId);
  effects.onMarket(marketId, names);
  for (const [index, token] of record.instruments.entries()) {
    const isNew = !catalog.tokens.has(token);
    const market = { marketId, outcome: record.outcomes[index]! };
    catalog.tokens.set(token, market);
    if (isNew) effects.onTokenListed(token, market);
    // Again with each later change: a frame may have come after the market ended.
    if (record.closed) effects.onClosed(token);
  }
}

/** The catalog as both of the venue's APIs tell it, one entry per condition. */
import type { Emit } from '#infra/stages/stage';
import { marketTopics } from '#schemas/topics/normalised';
import { readClobMarket } from './clob-market.ts';
import { readGammaMarket } from './gamma-market.ts';
import { isJsonObject, type JsonObject } from './json-fields.ts';
import { MalformedError, quote } from './malformed-error.ts';
import { addTelling, canonicalJson, type MarketTelling, type MarketTellings, marketRecord } from './market-telling.ts';

/** Markets kept; beyond it those mentioned longest ago are forgotten, and told anew when they come again. */
export const MARKETS_MAX = 100_000;
/** As many go at once: to find the first entry, a map steps over those removed before it. */
export const MARKETS_EVICTED = 1_000;

/** Where a token belongs. */
export interface TokenPlace {
  readonly marketId: string;
  readonly outcome: string;
}

export interface CatalogState {
  /** By condition id, the one that was mentioned longest ago first. */
  readonly markets: Map<string, MarketTellings>;
  /** By token id. */
  readonly tokens: Map<string, TokenPlace>;
}

export function createCatalogState(): CatalogState {
  return { markets: new Map(), tokens: new Map() };
}

/** What follows from a change of the catalog. */
export interface CatalogEffects {
  /** The market of a token is known now. */
  onPlaced(token: string, place: TokenPlace): void;
  /** The market of a token is over. */
  onClosed(token: string): void;
}

/**
 * Takes every market that an answer holds, whatever was asked: a list, a keyset page, a CLOB page, one event or market,
 * a search. What holds no market is passed over; a market that cannot be read is a dead letter and its siblings are
 * still taken.
 */
export function takeCatalogAnswer(
  catalog: CatalogState,
  answer: unknown,
  receivedAt: number,
  emit: Emit,
  effects: CatalogEffects,
): void {
  walkMarkets(answer, null, (market, event) => {
    try {
      const isClob = 'condition_id' in market;
      const { marketId, telling } = isClob ? readClobMarket(market) : readGammaMarket(market, event);
      takeTelling(catalog, marketId, isClob ? 'clob' : 'gamma', telling, receivedAt, emit, effects);
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      emit.dead(
        error.code,
        `market ${quote(market.conditionId ?? market.condition_id ?? market.id)}: ${error.message}`,
      );
    }
  });
}

type VisitMarket = (market: JsonObject, event: JsonObject | null) => void;

/** Finds markets by what they look like: the same objects come under every shape of list and page. */
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

function takeTelling(
  catalog: CatalogState,
  marketId: string,
  source: keyof MarketTellings,
  telling: MarketTelling,
  receivedAt: number,
  emit: Emit,
  effects: CatalogEffects,
): void {
  const known = catalog.markets.get(marketId);
  const before = known && marketRecord(marketId, known);
  const tellings = known ?? { gamma: { fields: {} }, clob: { fields: {} } };
  addTelling(tellings, source, telling);
  remember(catalog, marketId, tellings);
  const record = marketRecord(marketId, tellings);
  if (before && canonicalJson(before) === canonicalJson(record)) return;
  emit(marketTopics.venue_b, marketId, { ...record, receivedAt });
  for (const [index, token] of record.instruments.entries()) {
    const isNew = !catalog.tokens.has(token);
    const place = { marketId, outcome: record.outcomes[index]! };
    catalog.tokens.set(token, place);
    if (isNew) effects.onPlaced(token, place);
    if (record.closed && !before?.closed) effects.onClosed(token);
  }
}

function remember(catalog: CatalogState, marketId: string, tellings: MarketTellings): void {
  catalog.markets.delete(marketId);
  catalog.markets.set(marketId, tellings);
  if (catalog.markets.size <= MARKETS_MAX) return;
  const oldest = catalog.markets.entries();
  for (let count = 0; count < MARKETS_EVICTED; count += 1) {
    const [oldestId, forgotten] = oldest.next().value!;
    catalog.markets.delete(oldestId);
    for (const token of marketRecord(oldestId, forgotten).instruments) catalog.tokens.delete(token);
  }
}

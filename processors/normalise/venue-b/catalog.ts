/** The catalog as both of the venue's APIs tell it, one entry per condition. */
import type { Emit } from '#infra/stages/stage';
import { marketTopics } from '#schemas/topics/normalised';
import {
  CATALOG_BOUNDS,
  type CatalogBounds,
  type CatalogState,
  forgetOldest,
  type OracleNames,
  oracleNames,
  remember,
  type TokenPlace,
  tellingsOf,
} from './catalog-state.ts';
import { readClobMarket } from './clob-market.ts';
import { isJsonObject, type JsonObject } from './fields.ts';
import { readGammaMarket } from './gamma-market.ts';
import { MalformedError, quote } from './malformed-error.ts';
import { addTelling, canonicalJson, type MarketTelling, type MarketTellings, marketRecord } from './market-telling.ts';

/** What follows from a change of the catalog. */
export interface CatalogEffects {
  /** A market is new or changed. */
  onMarket(marketId: string, names: OracleNames): void;
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
  bounds: CatalogBounds = CATALOG_BOUNDS,
): void {
  walkMarkets(answer, null, (market, event) => {
    try {
      const isClob = 'condition_id' in market;
      const { marketId, telling } = isClob ? readClobMarket(market) : readGammaMarket(market, event);
      takeTelling(catalog, marketId, isClob ? 'clob' : 'gamma', telling, receivedAt, emit, effects);
      forgetOldest(catalog, bounds);
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
  const known = tellingsOf(catalog, marketId);
  const before = known && marketRecord(marketId, known);
  const tellings = known ?? { gamma: { fields: {} }, clob: { fields: {} } };
  addTelling(tellings, source, telling);
  remember(catalog, marketId, tellings, receivedAt);
  const record = marketRecord(marketId, tellings);
  if (before && canonicalJson(before) === canonicalJson(record)) return;
  emit(marketTopics.venue_b, marketId, { ...record, receivedAt });
  const names = oracleNames(tellings);
  if (names.gammaId !== undefined) catalog.gammaIds.set(names.gammaId, marketId);
  if (names.requestId !== undefined) catalog.requestIds.set(names.requestId, marketId);
  effects.onMarket(marketId, names);
  for (const [index, token] of record.instruments.entries()) {
    const isNew = !catalog.tokens.has(token);
    const place = { marketId, outcome: record.outcomes[index]! };
    catalog.tokens.set(token, place);
    if (isNew) effects.onPlaced(token, place);
    if (record.closed && !before?.closed) effects.onClosed(token);
  }
}

/** Reads markets of the CLOB as patches (venue page, section 3). They have fewer fields than gamma's. */

import {
  type JsonObject,
  optionalField,
  readFlag,
  readList,
  readObject,
  readTextOrNumber,
} from '#schemas/domain/json-fields';
import { readId, readTime } from './catalog-fields.ts';
import { checkOutcomes, withoutAbsent } from './gamma-market.ts';
import type { MarketPatch } from './market-patch.ts';

/** The CLOB's names of the fields that describe the question, with gamma's names, under which they are stored. */
const QUESTION_FIELDS = {
  question_id: 'questionID',
  neg_risk: 'negRisk',
  neg_risk_market_id: 'negRiskMarketID',
  neg_risk_request_id: 'negRiskRequestID',
  game_start_time: 'gameStartTime',
} as const;

/** Reads a market. Throws an error that names the invalid field. */
export function readClobMarket(market: JsonObject): { marketId: string; patch: MarketPatch } {
  const marketId = readId(market.condition_id, 'condition_id');
  const patch = withoutAbsent({
    title: optionalField(market, 'question', readTextOrNumber),
    description: optionalField(market, 'description', readTextOrNumber),
    slug: optionalField(market, 'market_slug', readTextOrNumber),
    endTime: optionalField(market, 'end_date_iso', readTime),
    ...readTokens(market),
    active: optionalField(market, 'active', readFlag),
    closed: optionalField(market, 'closed', readFlag),
    archived: optionalField(market, 'archived', readFlag),
    acceptingOrders: optionalField(market, 'accepting_orders', readFlag),
  });
  const fields: Record<string, unknown> = {};
  for (const [spelling, name] of Object.entries(QUESTION_FIELDS)) {
    const value = market[spelling];
    if (value !== undefined && value !== null && value !== '') fields[name] = value;
  }
  return { marketId, patch: { ...patch, fields } };
}

function readTokens(market: JsonObject): Pick<MarketPatch, 'instruments' | 'outcomes'> {
  const tokens = optionalField(market, 'tokens', readList)?.map((token) => readObject(token, 'tokens'));
  if (!tokens) return {};
  const instruments = tokens.map((token) => optionalField(token, 'token_id', readTextOrNumber) ?? '');
  // Markets from before the order book have tokens without ids.
  if (instruments.every((token) => token === '')) return {};
  return checkOutcomes(
    instruments,
    tokens.map((token) => optionalField(token, 'outcome', readTextOrNumber) ?? ''),
    'tokens',
  );
}

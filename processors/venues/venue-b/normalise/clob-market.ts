/** Reads markets of the CLOB as patches (venue page, section 3). They have fewer fields than gamma's. */

import { flagField, idField, isJsonObject, type JsonObject, textField, timeField } from './fields.ts';
import { checkOutcomes, withoutAbsent } from './gamma-market.ts';
import { MalformedError, quote } from './malformed-error.ts';
import type { MarketPatch } from './market-patch.ts';

const CODE = 'malformed_market';

/** The CLOB's names of the fields that describe the question, with gamma's names, under which they are stored. */
const QUESTION_FIELDS = {
  question_id: 'questionID',
  neg_risk: 'negRisk',
  neg_risk_market_id: 'negRiskMarketID',
  neg_risk_request_id: 'negRiskRequestID',
  game_start_time: 'gameStartTime',
} as const;

/** Reads a market. Throws `MalformedError` (`malformed_market`) that names the invalid field. */
export function readClobMarket(market: JsonObject): { marketId: string; patch: MarketPatch } {
  const marketId = idField(market, 'condition_id', CODE);
  if (marketId === undefined) throw new MalformedError(CODE, 'condition_id: missing');
  const patch = withoutAbsent({
    title: textField(market, 'question', CODE),
    description: textField(market, 'description', CODE),
    slug: textField(market, 'market_slug', CODE),
    endTime: timeField(market, 'end_date_iso', CODE),
    ...readTokens(market),
    active: flagField(market, 'active', CODE),
    closed: flagField(market, 'closed', CODE),
    archived: flagField(market, 'archived', CODE),
    acceptingOrders: flagField(market, 'accepting_orders', CODE),
  });
  const fields: Record<string, unknown> = {};
  for (const [spelling, name] of Object.entries(QUESTION_FIELDS)) {
    const value = market[spelling];
    if (value !== undefined && value !== null && value !== '') fields[name] = value;
  }
  return { marketId, patch: { ...patch, fields } };
}

function readTokens(market: JsonObject): Pick<MarketPatch, 'instruments' | 'outcomes'> {
  const { tokens } = market;
  if (tokens === undefined || tokens === null) return {};
  if (!Array.isArray(tokens) || !tokens.every(isJsonObject)) {
    throw new MalformedError(CODE, `tokens: ${quote(tokens)}`);
  }
  const instruments = tokens.map((token) => textField(token, 'token_id', CODE) ?? '');
  // Markets from before the order book have tokens without ids.
  if (instruments.every((token) => token === '')) return {};
  return checkOutcomes(
    instruments,
    tokens.map((token) => textField(token, 'outcome', CODE) ?? ''),
    'tokens',
  );
}

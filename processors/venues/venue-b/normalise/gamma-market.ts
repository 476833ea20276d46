/** Reads markets and events of the catalog API (gamma) as patches (venue page, section 2). */
import {
  decimalField,
  flagField,
  idField,
  isJsonObject,
  type JsonObject,
  textField,
  textListField,
  timeField,
} from './fields.ts';
import { MalformedError } from './malformed-error.ts';
import type { MarketPatch } from './market-patch.ts';

const CODE = 'malformed_market';
const TOKEN = /^\d{1,78}$/;

/** Fields that describe the question and do not move with the market, stored unchanged under the venue's names. */
const QUESTION_FIELDS = [
  'questionID',
  'negRisk',
  'negRiskMarketID',
  'negRiskRequestID',
  'groupItemThreshold',
  'cryptoMarketConfig',
  'marketType',
  'category',
  'lowerBound',
  'upperBound',
  'resolvedBy',
  'startDate',
  'closedTime',
  'gameStartTime',
  'gameId',
  'sportsMarketType',
  'line',
] as const;

/**
 * Reads a market. Throws `MalformedError` (`malformed_market`) that names the invalid field.
 * @param event the event that embeds the market; null to use the one that the market itself embeds.
 */
export function readGammaMarket(
  market: JsonObject,
  event: JsonObject | null,
): { marketId: string; patch: MarketPatch } {
  const marketId = idField(market, 'conditionId', CODE);
  if (marketId === undefined) throw new MalformedError(CODE, 'conditionId: missing');
  const embedded = Array.isArray(market.events) ? market.events.find(isJsonObject) : undefined;
  const parent = event ?? embedded ?? {};
  const schedule = isJsonObject(market.feeSchedule) ? market.feeSchedule : {};
  const patch = withoutAbsent({
    title: textField(market, 'question', CODE),
    description: textField(market, 'description', CODE),
    groupTitle: textField(parent, 'title', CODE),
    groupItemTitle: textField(market, 'groupItemTitle', CODE),
    slug: textField(market, 'slug', CODE),
    resolutionSource: textField(market, 'resolutionSource', CODE),
    startTime: timeField(market, 'eventStartTime', CODE),
    endTime: timeField(market, 'endDate', CODE),
    ...readOutcomes(market),
    active: flagField(market, 'active', CODE),
    closed: flagField(market, 'closed', CODE),
    archived: flagField(market, 'archived', CODE),
    acceptingOrders: flagField(market, 'acceptingOrders', CODE),
    feesEnabled: flagField(market, 'feesEnabled', CODE),
    feeRate: decimalField(schedule, 'rate', CODE),
  });
  return { marketId, patch: { ...patch, fields: { ...questionFields(market), ...eventFields(parent, market) } } };
}

function readOutcomes(market: JsonObject): Pick<MarketPatch, 'instruments' | 'outcomes'> {
  const instruments = textListField(market, 'clobTokenIds', CODE);
  const outcomes = textListField(market, 'outcomes', CODE);
  if (!instruments || !outcomes) return {};
  return checkOutcomes(instruments, outcomes, 'clobTokenIds');
}

/** Throws `MalformedError` where tokens and outcomes do not pair up: trades would have no outcome name. */
export function checkOutcomes(
  instruments: string[],
  outcomes: string[],
  field: string,
): { instruments: string[]; outcomes: string[] } {
  if (!instruments.every((token) => TOKEN.test(token))) {
    throw new MalformedError(CODE, `${field}: ${JSON.stringify(instruments).slice(0, 200)}`);
  }
  if (instruments.length !== outcomes.length) {
    throw new MalformedError(CODE, `${field}: ${instruments.length} tokens for ${outcomes.length} outcomes`);
  }
  return { instruments, outcomes };
}

function questionFields(market: JsonObject): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const gammaId = textField(market, 'id', CODE);
  if (gammaId !== undefined) fields.gammaId = gammaId;
  for (const field of QUESTION_FIELDS) {
    const value = market[field];
    if (value !== undefined && value !== null && value !== '') fields[field] = value;
  }
  return fields;
}

/** The event has the tags, or the market if it was requested alone. */
function eventFields(event: JsonObject, market: JsonObject): Record<string, unknown> {
  return withoutAbsent({
    eventId: textField(event, 'id', CODE),
    eventSlug: textField(event, 'slug', CODE),
    tags: slugs(event.tags) ?? slugs(market.tags),
    series: slugs(event.series),
  });
}

/** Returns the slugs of tags or series; undefined for an empty list, too. */
function slugs(list: unknown): string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const found = list.flatMap((entry) => (isJsonObject(entry) && typeof entry.slug === 'string' ? [entry.slug] : []));
  return found.length > 0 ? found : undefined;
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
/** Copies the object without the keys whose value is undefined. */
export function withoutAbsent<T extends object>(object: T): Present<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Present<T>;
}

/** Reads markets and events of the catalog API (gamma) as patches (venue page, section 2). */
import {
  FieldError,
  isJsonObject,
  type JsonObject,
  optionalField,
  readDecimalOrNumber,
  readFlag,
  readTextOrNumber,
} from '#schemas/domain/json-fields';
import { readId, readTextList, readTime } from './catalog-fields.ts';
import type { MarketPatch } from './market-patch.ts';

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
 * Reads a market. Throws an error that names the invalid field.
 * @param event the event that embeds the market; null to use the one that the market itself embeds.
 */
export function readGammaMarket(
  market: JsonObject,
  event: JsonObject | null,
): { marketId: string; patch: MarketPatch } {
  const marketId = readId(market.conditionId, 'conditionId');
  const embedded = Array.isArray(market.events) ? market.events.find(isJsonObject) : undefined;
  const parent = event ?? embedded ?? {};
  const schedule = isJsonObject(market.feeSchedule) ? market.feeSchedule : {};
  const patch = withoutAbsent({
    title: optionalField(market, 'question', readTextOrNumber),
    description: optionalField(market, 'description', readTextOrNumber),
    groupTitle: optionalField(parent, 'title', readTextOrNumber),
    groupItemTitle: optionalField(market, 'groupItemTitle', readTextOrNumber),
    slug: optionalField(market, 'slug', readTextOrNumber),
    resolutionSource: optionalField(market, 'resolutionSource', readTextOrNumber),
    startTime: optionalField(market, 'eventStartTime', readTime),
    endTime: optionalField(market, 'endDate', readTime),
    ...readOutcomes(market),
    active: optionalField(market, 'active', readFlag),
    closed: optionalField(market, 'closed', readFlag),
    archived: optionalField(market, 'archived', readFlag),
    acceptingOrders: optionalField(market, 'acceptingOrders', readFlag),
    feesEnabled: optionalField(market, 'feesEnabled', readFlag),
    feeRate: optionalField(schedule, 'rate', readDecimalOrNumber),
  });
  return { marketId, patch: { ...patch, fields: { ...questionFields(market), ...eventFields(parent, market) } } };
}

function readOutcomes(market: JsonObject): Pick<MarketPatch, 'instruments' | 'outcomes'> {
  const instruments = optionalField(market, 'clobTokenIds', readTextList);
  const outcomes = optionalField(market, 'outcomes', readTextList);
  if (!instruments || !outcomes) return {};
  return checkOutcomes(instruments, outcomes, 'clobTokenIds');
}

/** Throws `FieldError` where tokens and outcomes do not pair up: trades would have no outcome name. */
export function checkOutcomes(
  instruments: string[],
  outcomes: string[],
  field: string,
): { instruments: string[]; outcomes: string[] } {
  if (!instruments.every((token) => TOKEN.test(token))) throw new FieldError(field, 'ids of tokens', instruments);
  if (instruments.length !== outcomes.length) {
    throw new FieldError(field, `a token for each of ${outcomes.length} outcomes`, instruments);
  }
  return { instruments, outcomes };
}

function questionFields(market: JsonObject): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const gammaId = optionalField(market, 'id', readTextOrNumber);
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
    eventId: optionalField(event, 'id', readTextOrNumber),
    eventSlug: optionalField(event, 'slug', readTextOrNumber),
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

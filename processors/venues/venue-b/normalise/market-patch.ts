/** A patch with the fields of one answer about a market, and the merge of several patches into a `Market` record. */
import { isJsonObject } from '#schemas/domain/json-fields';
import type { Market } from '#schemas/topics/normalised';

/** The fields of one answer. A missing field leaves the known value unchanged. */
export interface MarketPatch {
  title?: string;
  description?: string;
  groupTitle?: string;
  groupItemTitle?: string;
  slug?: string;
  resolutionSource?: string;
  /** Unix ms. */
  startTime?: number;
  /** Unix ms. */
  endTime?: number;
  /** Token ids and outcome names: both, in one order, or neither. */
  instruments?: string[];
  outcomes?: string[];
  active?: boolean;
  closed?: boolean;
  archived?: boolean;
  acceptingOrders?: boolean;
  feesEnabled?: boolean;
  /** `feeSchedule.rate`, canonical decimal. */
  feeRate?: string;
  /** Other fields that describe the question, under the venue's names. */
  fields: Record<string, unknown>;
}

/** The merged patches of a market from each of the venue's two catalogs. */
export interface MarketPatches {
  readonly gamma: MarketPatch;
  readonly clob: MarketPatch;
  /** True once the socket reported the market as resolved: it is closed, also while a catalog still lists it as open. */
  ended?: true;
}

export type CatalogName = 'gamma' | 'clob';

/**
 * Merges a newer patch of one catalog: its fields replace older values. Fields that gamma has are removed from the
 * CLOB's patch, which gamma outranks: most of a market is text that both catalogs contain.
 */
export function applyPatch(patches: MarketPatches, source: CatalogName, newer: MarketPatch): void {
  const { gamma, clob } = patches;
  const patch = patches[source];
  const fields = Object.assign(patch.fields, newer.fields);
  Object.assign(patch, newer, { fields });
  removeKeys(clob.fields, gamma.fields);
  removeKeys(clob, { ...gamma, fields: undefined });
}

/** Removes from `object` every key that `other` has a value for. */
function removeKeys(object: object, other: object): void {
  for (const [key, value] of Object.entries(other)) if (value !== undefined) Reflect.deleteProperty(object, key);
}

/** True if trading has ended: as a catalog states it, or the socket before it. */
export function isClosed({ gamma, clob, ended }: MarketPatches): boolean {
  return ended ?? (gamma.closed ?? clob.closed) === true;
}

/** Builds the record of a market: gamma's value where it has one, else the CLOB's. */
export function marketRecord(marketId: string, patches: MarketPatches): Omit<Market, 'receivedAt'> {
  const from = { ...patches.clob, ...patches.gamma };
  const closed = isClosed(patches);
  const fields = { ...patches.clob.fields, ...patches.gamma.fields };
  return {
    provider: 'venue_b',
    marketId,
    title: from.title ?? '',
    description: from.description ?? '',
    groupTitle: from.groupTitle ?? null,
    groupItemTitle: from.groupItemTitle ?? null,
    slug: from.slug ?? null,
    resolutionSource: from.resolutionSource ?? null,
    startTime: from.startTime ?? null,
    endTime: from.endTime ?? null,
    instruments: from.instruments ?? [],
    outcomes: from.outcomes ?? [],
    // The venue leaves `active` true on closed markets; here it means that trading is possible.
    active: (from.active ?? false) && !closed && !from.archived && (from.acceptingOrders ?? true),
    closed,
    takerFeeRate: takerFeeRate(from),
    fields: canonicalJson(fields),
    // `closed` ends the trading; the venue adds the time of closing once the market is resolved (venue page, section
    // 2).
    resolved: closed && typeof fields.closedTime === 'string',
    name: null,
  };
}

/** Zero only where the venue states that it charges nothing; null where it did not state a schedule. */
function takerFeeRate(from: MarketPatch): string | null {
  if (from.feesEnabled === undefined) return null;
  return from.feesEnabled ? (from.feeRate ?? null) : '0';
}

/** Returns JSON with sorted keys, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, entry: unknown) =>
    isJsonObject(entry) ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1))) : entry,
  );
}

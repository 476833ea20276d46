/** What one answer says of a market, and how the tellings of several answers make one `Market` record. */
import type { Market } from '#schemas/topics/normalised';

/** Only what the answer held: a field that is not there says nothing, and takes nothing back. */
export interface MarketTelling {
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
  /** What else speaks of the question, under the venue's names. */
  fields: Record<string, unknown>;
}

/** What each of the venue's two catalogs has told of a market so far. */
export interface MarketTellings {
  readonly gamma: MarketTelling;
  readonly clob: MarketTelling;
}

/**
 * Adds a newer telling of one catalog: what it holds replaces, what it leaves out stays. What gamma has told is dropped
 * from the CLOB's telling, which it outranks: most of a market is text that both tell.
 */
export function addTelling(tellings: MarketTellings, source: keyof MarketTellings, newer: MarketTelling): void {
  const { gamma, clob } = tellings;
  const telling = tellings[source];
  const fields = Object.assign(telling.fields, newer.fields);
  Object.assign(telling, newer, { fields });
  removeKeys(clob.fields, gamma.fields);
  removeKeys(clob, { ...gamma, fields: undefined });
}

/** Removes from `object` every key that `other` has a value for. */
function removeKeys(object: object, other: object): void {
  for (const [key, value] of Object.entries(other)) if (value !== undefined) Reflect.deleteProperty(object, key);
}

/** The record of a market: gamma's word where it has one, else that of the CLOB. */
export function marketRecord(marketId: string, tellings: MarketTellings): Omit<Market, 'receivedAt'> {
  const from = { ...tellings.clob, ...tellings.gamma };
  const closed = from.closed ?? false;
  const fields = { ...tellings.clob.fields, ...tellings.gamma.fields };
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
    // The venue leaves `active` true on markets that are over; open for trading is what is asked here.
    active: (from.active ?? false) && !closed && !from.archived && (from.acceptingOrders ?? true),
    closed,
    takerFeeRate: takerFeeRate(from),
    fields: canonicalJson(fields),
    // `closed` ends the trading; the time of closing stands beside it once the market is decided (venue page, section 2).
    resolved: closed && typeof fields.closedTime === 'string',
    name: null,
  };
}

/** Zero only where the venue says that it charges nothing; a schedule it did not tell is unknown. */
function takerFeeRate(from: MarketTelling): string | null {
  if (from.feesEnabled === undefined) return null;
  return from.feesEnabled ? (from.feeRate ?? null) : '0';
}

/** JSON with sorted keys, so that equal values are equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, entry: unknown) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  );
}

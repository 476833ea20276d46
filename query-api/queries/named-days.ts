/** Reads of which days the builders of fills of venue_a are as known as they will be (contract, Money: fills, backfill). */
import { type Owner, ownerName } from '#schemas/domain/control/owner';
import type { ControlState } from '#schemas/domain/control/state';
import { accountFillsTable } from '#schemas/tables/account-fills';
import { fillLoadTopic } from '#schemas/topics/account-fills';
import { DAY_MS } from '#schemas/venues/venue-a/builder-export';
import { type Freshness, tablesUntil } from '../views/freshness.ts';
import type { Reader } from './query.ts';
import { readArrivedDays } from './read-platform-volume.ts';

/** The record of a day follows the first part of its file within this time. */
const FILE_PARTS_MS = 60_000;

/** Days whose files of all builders have arrived. Parameters of `LACKS_BUILDER`. */
export interface NamedDays {
  /** Counted since 1970. */
  readonly namedDays: readonly number[];
  /** When the first of the files of each day was received, unix ms. */
  readonly namedAt: readonly number[];
}
export const NO_NAMED_DAYS: NamedDays = { namedDays: [], namedAt: [] };

/**
 * SQL condition on `account_fills AS l`: a fill paid a builder that may be one of those. A ledger has no rows of files that
 * arrived before it began.
 */
export const LACKS_BUILDER = `(l.builder IS NULL AND ifNull(l.builderFee, 0) != 0
  AND NOT arrayExists(
    (day, at) -> day = intDiv(toUnixTimestamp64Milli(l.time), ${DAY_MS}) AND at >= toUnixTimestamp64Milli(l.ledger),
    {namedDays:Array(Int64)}, {namedAt:Array(Int64)}))`;

/**
 * Returns the days whose files of all builders have arrived and have named the fills in the tables: a fill that has no
 * builder then has none of them. None without builders.
 * @param builders of venue_a.
 */
export async function readNamedDays(
  store: Reader,
  freshness: Freshness,
  builders: readonly string[],
): Promise<NamedDays> {
  if (builders.length === 0) return NO_NAMED_DAYS;
  const until = await tablesUntil(freshness, fillLoadTopic, accountFillsTable.fromTopics, null);
  if (until === null) return NO_NAMED_DAYS;
  const files = new Map<number, number[]>();
  for (const { day, fileAt } of await readArrivedDays(store, builders))
    if (fileAt + FILE_PARTS_MS <= until) files.set(day, [...(files.get(day) ?? []), fileAt]);
  const named = [...files].filter(([, times]) => times.length === builders.length);
  return {
    namedDays: named.map(([day]) => day / DAY_MS),
    namedAt: named.map(([, times]) => Math.min(...times)),
  };
}

/** The builders of venue_a that an owner has registered, or any organization. */
export function registeredBuilders({ attributions }: ControlState, owner?: Owner): string[] {
  const isMeant = (one: Owner) => (owner ? ownerName(one) === ownerName(owner) : !one.sandbox);
  const own = [...attributions.values()].filter((one) => one.provider === 'venue_a' && isMeant(one));
  return [...new Set(own.map(({ builder }) => builder))];
}

/**
 * Holds records of markets that cannot be used yet: because their event is not known (a catalog may list a market after
 * the chain mentions it), or because their link is not used. The two kinds are in separate maps, so that records which
 * may wait forever do not evict the others.
 */

import { dropOldest } from './drop-oldest.ts';

/** Records by market, the oldest market first. */
export type Waiting<T> = Map<string, readonly T[]>;

/** Greatest number of markets with waiting records; those that wait longest are dropped first. */
export const WAITING_MARKETS_MAX = 10_000;
/** Greatest number of records of one market. */
const WAITING_RECORDS_MAX = 50;

/** Stores the newest state of a record of a market. */
export function addWaiting<T extends { readonly id: string }>(waiting: Waiting<T>, market: string, record: T): void {
  const records = waiting.get(market) ?? [];
  const at = records.findIndex(({ id }) => id === record.id);
  const next = at < 0 ? [...records, record] : records.with(at, record);
  waiting.set(market, next.slice(-WAITING_RECORDS_MAX));
  dropOldest(waiting, WAITING_MARKETS_MAX);
}

/** Removes and returns the records that wait for these markets: market by market, those of one market in order of arrival. */
export function removeWaiting<T>(waiting: Waiting<T>, markets: readonly string[]): T[] {
  if (waiting.size === 0) return [];
  return markets.flatMap((market) => {
    const records = waiting.get(market) ?? [];
    waiting.delete(market);
    return records;
  });
}

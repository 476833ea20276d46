/**
 * What was said of markets before it can be used: because their event is not known yet, as a catalog may tell of a market
 * after the chain does, or because they do not ask their event's question. What waits for the one is kept apart from what
 * waits for the other, which may be for good, so that neither pushes the other out.
 */

import { dropOldest } from './drop-oldest.ts';

/** Records by market, the oldest market first. */
export type Waiting<T> = Map<string, readonly T[]>;

/** Markets with waiting records at most; those that wait longest are given up first. */
export const WAITING_MARKETS_MAX = 10_000;
/** Records of one market at most. */
export const WAITING_RECORDS_MAX = 50;

/** Keeps the newest state of a record of a market. */
export function addWaiting<T extends { readonly id: string }>(waiting: Waiting<T>, market: string, record: T): void {
  const held = waiting.get(market) ?? [];
  const at = held.findIndex(({ id }) => id === record.id);
  const next = at < 0 ? [...held, record] : held.with(at, record);
  waiting.set(market, next.slice(-WAITING_RECORDS_MAX));
  dropOldest(waiting, WAITING_MARKETS_MAX);
}

/** Takes what waits for these markets, in the order in which it was said. */
export function removeWaiting<T>(waiting: Waiting<T>, markets: readonly string[]): T[] {
  if (waiting.size === 0) return [];
  return markets.flatMap((market) => {
    const held = waiting.get(market) ?? [];
    waiting.delete(market);
    return held;
  });
}

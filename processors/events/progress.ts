/** How far along markets and their events are (contract, Markets). */
import type { EventLink, UniversalEvent } from '#schemas/topics/derived';
import { isResolved, type MarketEntry } from './market-entry.ts';
import { referenceOf } from './reference.ts';

type Status = UniversalEvent['status'];

const ORDER: readonly Status[] = ['open', 'closed', 'resolved'];

/** Whether a market is traded. Its resolution ends that even while its catalog still lists it as open. */
export function marketStateOf(market: MarketEntry): EventLink['marketState'] {
  if (isResolved(market)) return 'resolved';
  return market.closed ? 'closed' : 'open';
}

/** When the last market was over; null while one is live. */
export function closedAtOf(markets: readonly MarketEntry[]): number | null {
  let last = Number.NEGATIVE_INFINITY;
  for (const { closedAt: overAt } of markets) {
    if (overAt === null) return null;
    last = Math.max(last, overAt);
  }
  return last;
}

/**
 * The status of an event at `now`. A catalog may close a market before its date, or without any: what nobody can trade is
 * not open.
 */
export function statusOf(markets: readonly MarketEntry[], now: number): Status {
  if (markets.every(isResolved)) return 'resolved';
  const { resolutionTime: resolutionTime } = referenceOf(markets);
  return closedAtOf(markets) !== null || (resolutionTime !== null && now >= resolutionTime) ? 'closed' : 'open';
}

/** Whether `market` is further from its end than an event of this status: what is live has no place in what is over. */
export function isMoreOpen(market: MarketEntry, status: Status, now: number): boolean {
  return ORDER.indexOf(statusOf([market], now)) < ORDER.indexOf(status);
}

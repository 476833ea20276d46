/** Status of markets and events (contract, Markets). */
import type { EventLink, UniversalEvent } from '#schemas/topics/derived';
import { isResolved, type MarketEntry } from './market-entry.ts';
import { referenceOf } from './reference.ts';

type Status = UniversalEvent['status'];

const ORDER: readonly Status[] = ['open', 'closed', 'resolved'];

/** Returns the state of a market. A resolution ends trading even while the catalog still lists the market as open. */
export function marketStateOf(market: MarketEntry): EventLink['marketState'] {
  if (isResolved(market)) return 'resolved';
  return market.closed ? 'closed' : 'open';
}

/** Returns when the last of the markets was closed; null while one is open. */
export function closedAtOf(markets: readonly MarketEntry[]): number | null {
  let last = Number.NEGATIVE_INFINITY;
  for (const { closedAt } of markets) {
    if (closedAt === null) return null;
    last = Math.max(last, closedAt);
  }
  return last;
}

/**
 * Returns the status of an event at `now`. A catalog may close a market before its date, or without one: an event that
 * nobody can trade is not open.
 */
export function statusOf(markets: readonly MarketEntry[], now: number): Status {
  if (markets.every(isResolved)) return 'resolved';
  const { resolutionTime } = referenceOf(markets);
  return closedAtOf(markets) !== null || (resolutionTime !== null && now >= resolutionTime) ? 'closed' : 'open';
}

/** True if `market` is less far along than an event of this status: a closed event gets no open markets. */
export function isMoreOpen(market: MarketEntry, status: Status, now: number): boolean {
  return ORDER.indexOf(statusOf([market], now)) < ORDER.indexOf(status);
}

/** A spread as of the time of a response, from the head that the view holds. */
import { whileLagging } from '#schemas/domain/price-state';
import {
  type EventLink,
  type Spread,
  type SpreadLeg,
  spreadHeadTopic,
  type UniversalEvent,
} from '#schemas/topics/derived';
import { type Freshness, isBehind, lastBookAt } from '../views/freshness.ts';

/** The spread with the times of the last book frames. While the figures lag, live legs are reported as stale. */
export function currentSpread(freshness: Freshness, { links }: Pick<UniversalEvent, 'links'>, spread: Spread): Spread {
  const lags = isBehind(freshness, spreadHeadTopic);
  return { ...spread, legs: spread.legs.map((leg) => currentLeg(freshness, links, leg, lags)) };
}

function currentLeg(freshness: Freshness, links: readonly EventLink[], leg: SpreadLeg, lags: boolean): SpreadLeg {
  if (leg.state === 'closed' || leg.state === 'resolved') return leg;
  const current = { ...leg, bookAt: bookAtOf(freshness, links, leg) };
  return lags ? { ...current, live: false, state: leg.state && whileLagging(leg.state) } : current;
}

/**
 * Time of the last book frame: a head is not rewritten for a frame that changes none of its prices. Null before the
 * first complete book.
 */
function bookAtOf(freshness: Freshness, links: readonly EventLink[], leg: SpreadLeg): number | null {
  if (leg.bookAt === null) return null;
  const link = links.find((one) => one.provider === leg.provider && one.providerMarketId === leg.marketId);
  const seenAt = link ? lastBookAt(freshness, spreadHeadTopic, link.yesInstrument) : null;
  return Math.max(leg.bookAt, seenAt ?? leg.bookAt);
}

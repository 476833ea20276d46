/** How long after its end a market was decided. */
import type { Resolution } from '../topics/oracle.ts';

/**
 * A moment of decision that is known more loosely than this says nothing of a delay: five rounds of asking the venue, a
 * third of the least deviation that an anomaly is measured by.
 */
export const MOMENT_KNOWN_WITHIN_MS = 5 * 60_000;

/** Milliseconds between a market's own end and its decision; null where either is not known. */
export function settlementDelayMs(
  resolution: Pick<Resolution, 'resolvedAt' | 'decidedAfter' | 'blockNumber' | 'endTime'>,
): number | null {
  const { resolvedAt, decidedAfter, blockNumber, endTime } = resolution;
  const isOnChain = blockNumber !== null;
  const isKnown = typeof decidedAfter === 'number' && resolvedAt - decidedAfter <= MOMENT_KNOWN_WITHIN_MS;
  return endTime !== null && (isOnChain || isKnown) ? resolvedAt - endTime : null;
}

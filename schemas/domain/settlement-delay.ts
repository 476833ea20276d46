/** How long after its end a market was decided. */
import type { Resolution } from '../topics/oracle.ts';

/**
 * A moment of decision that is known more loosely than this says nothing of a delay: five rounds of asking the venue, a
 * third of the least deviation that an anomaly is measured by.
 */
export const MOMENT_KNOWN_WITHIN_MS = 5 * 60_000;

/**
 * True if `resolvedAt` is the moment of the decision: on chain it is the time of the block, off chain the decision was
 * made in the five minutes before. Otherwise `resolvedAt` is only an upper bound of that moment.
 */
export function isMomentKnown(resolution: Pick<Resolution, 'resolvedAt' | 'decidedAfter' | 'blockNumber'>): boolean {
  const { resolvedAt, decidedAfter, blockNumber } = resolution;
  if (blockNumber !== null) return true;
  return typeof decidedAfter === 'number' && resolvedAt - decidedAfter <= MOMENT_KNOWN_WITHIN_MS;
}

/** Milliseconds between a market's own end and its decision; null where either is not known. */
export function settlementDelayMs(
  resolution: Pick<Resolution, 'resolvedAt' | 'decidedAfter' | 'blockNumber' | 'endTime'>,
): number | null {
  const { resolvedAt, endTime } = resolution;
  return endTime !== null && isMomentKnown(resolution) ? resolvedAt - endTime : null;
}

/** How long after its end time a market was resolved. */
import type { Resolution } from '../topics/oracle.ts';

/**
 * Largest uncertainty of a decision time from which a delay is calculated: five polls of the venue, and a third of the
 * smallest deviation that an anomaly is measured with.
 */
const DECISION_TIME_TOLERANCE_MS = 5 * 60_000;

/**
 * True if `resolvedAt` is the time of the decision: on chain it is the time of the block, off chain the decision was made
 * in the five minutes before. Otherwise `resolvedAt` is only an upper bound of that time.
 */
export function isDecisionTimeKnown(
  resolution: Pick<Resolution, 'resolvedAt' | 'decidedAfter' | 'blockNumber'>,
): boolean {
  const { resolvedAt, decidedAfter, blockNumber } = resolution;
  if (blockNumber !== null) return true;
  return typeof decidedAfter === 'number' && resolvedAt - decidedAfter <= DECISION_TIME_TOLERANCE_MS;
}

/** Milliseconds between a market's own end and its decision; null where either is not known. */
export function settlementDelayMs(
  resolution: Pick<Resolution, 'resolvedAt' | 'decidedAfter' | 'blockNumber' | 'endTime'>,
): number | null {
  const { resolvedAt, endTime } = resolution;
  return endTime !== null && isDecisionTimeKnown(resolution) ? resolvedAt - endTime : null;
}

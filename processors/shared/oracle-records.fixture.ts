/** Events of oracle tests, and what clients see of the decisions in the shared records. */
import { anEvent as aBlankEvent } from '#schemas/testing/records.fixture';
import type { EventLink, UniversalEvent } from '#schemas/topics/derived';

/** Creates an event from its links and the event that it was merged into. */
export function anEvent(
  universalId: string,
  links: readonly EventLink[],
  mergedInto: string | null = null,
): UniversalEvent {
  return aBlankEvent({ universalId, links: [...links], mergedInto });
}

/** What clients see of `aPhase()`. */
export const PHASE_SEEN = {
  phase: 'propose',
  provider: 'venue_b',
  marketId: '0xc',
  questionId: '0xq',
  requestTimestamp: 1,
  proposer: `0x${'aa'.repeat(20)}`,
  disputer: null,
  price: '1',
  ts: '1970-01-01T00:00:01.900Z',
  blockNumber: 5,
  txHash: '0xt',
  logIndex: 1,
  status: 'pending',
};

/** What clients see of `aResolution({ payouts: ['0', '1'] })`, but for the outcome, which depends on the link. */
export const SETTLEMENT_SEEN = {
  provider: 'venue_b',
  marketId: '0xc',
  used: true,
  payouts: ['0', '1'],
  resolvedAt: '1970-01-01T00:00:02.900Z',
  resolvedAtIsBound: false,
  endTime: '1970-01-01T00:00:01.000Z',
  settlementDelaySec: 2,
  txHash: '0xr',
  logIndex: 1,
  blockNumber: 6,
  status: 'pending',
};

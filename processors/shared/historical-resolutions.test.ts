import { expect, it } from 'vitest';
import { aLink, aResolution } from '#schemas/testing/records.fixture';
import { anEvent } from './oracle-records.fixture.ts';
import { createOracleState } from './oracle-state.ts';
import { applyMarketResolution, relinkOracleEvent } from './oracle-updates.ts';

const END = Date.UTC(2031, 2, 1);
const DAY_MS = 86_400_000;

/** Returns the events to which an off-chain resolution is emitted. */
function eventsOf(fields: Parameters<typeof aResolution>[0]) {
  const provider = 'venue_a_outcome';
  const state = createOracleState();
  relinkOracleEvent(state, 'evt_1', anEvent('evt_1', [aLink({ provider, providerMarketId: '#70' })]));
  const offChain = { blockNumber: null, blockHash: null, txHash: null, logIndex: null, status: 'confirmed' as const };
  const resolution = aResolution({ provider, marketId: '#70', endTime: END, ...offChain, ...fields });
  return applyMarketResolution(state, resolution)?.flatMap(({ audience }) => audience);
}

it.each([
  ['soon after the end', { resolvedAt: END + DAY_MS, decidedAfter: null }, ['evt_1']],
  ['long after it, by a response that does not state when', { resolvedAt: END + DAY_MS + 1, decidedAfter: null }, []],
  ['long after it, seen as it happened', { resolvedAt: END + 9 * DAY_MS, decidedAfter: END + 9 * DAY_MS }, ['evt_1']],
  ['long after it, on chain', { resolvedAt: END + 9 * DAY_MS, decidedAfter: null, blockNumber: 7 }, ['evt_1']],
  ['without a known end', { resolvedAt: END + 9 * DAY_MS, decidedAfter: null, endTime: null }, []],
  [
    'without a known end, seen as it happened',
    { resolvedAt: END, decidedAfter: END - 60_000, endTime: null },
    ['evt_1'],
  ],
  ['without a known end, on chain', { resolvedAt: END, decidedAfter: null, endTime: null, blockNumber: 7 }, ['evt_1']],
])('a resolution %s is emitted to %s', (_, fields, audience) => {
  expect(eventsOf(fields)).toEqual(audience);
});

import { describe, expect, it } from 'vitest';
import type { Resolution } from '../topics/oracle.ts';
import { settlementRecordSchema, toSettlementRecord } from './settlement.ts';

const resolution: Resolution = {
  id: 'venue_b:0xr:1',
  provider: 'venue_b',
  marketId: '0xc',
  payouts: ['1', '0'],
  resolvedAt: 10_000,
  decidedAfter: null,
  receivedAt: 11_000,
  endTime: null,
  txHash: '0xr',
  logIndex: 1,
  blockNumber: 6,
  blockHash: '0xb',
  status: 'pending',
};

describe('a settlement record', () => {
  it.each([
    [['1', '0'], false, 'yes'],
    [['1', '0'], true, 'no'],
    [['0.5', '0.5'], false, 'split'],
  ] as const)('of payouts %j, inverse %j, is %s, with the payouts as they are', (payouts, inverse, outcome) => {
    const record = toSettlementRecord({ ...resolution, payouts: [...payouts] }, { yesIndex: 0, inverse });
    expect(settlementRecordSchema.parse(record)).toEqual(record);
    expect(record).toMatchObject({ outcome, payouts });
  });

  it('is none where the payouts do not speak of YES', () => {
    expect(toSettlementRecord(resolution, { yesIndex: 2, inverse: false })).toBeNull();
  });

  it.each([
    [9_500, 1],
    [9_501, 0],
    [8_000, 2],
    [12_600, -3],
    [null, null],
  ])('of a market that ended at %s came %s s later', (endTime, settlementDelaySec) => {
    const record = toSettlementRecord({ ...resolution, endTime }, { yesIndex: 0, inverse: false });
    expect(record).toMatchObject({ settlementDelaySec });
  });

  it.each([
    [10_000, 9],
    [10_000 - 5 * 60_000, 9],
    [9_999 - 5 * 60_000, null],
    [null, null],
  ])('of a market off chain that was decided after %s tells a delay of %s s', (decidedAfter, settlementDelaySec) => {
    const offChain = { ...resolution, endTime: 1_000, blockNumber: null, decidedAfter };
    expect(toSettlementRecord(offChain, { yesIndex: 0, inverse: false })).toMatchObject({ settlementDelaySec });
  });
});

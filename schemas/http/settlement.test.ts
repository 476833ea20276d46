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
  ] as const)('of payouts %j, inverse %j, has the outcome %s and the same payouts', (payouts, inverse, outcome) => {
    const record = toSettlementRecord({ ...resolution, payouts: [...payouts] }, { yesIndex: 0, inverse }, true);
    expect(settlementRecordSchema.parse(record)).toEqual(record);
    expect(record).toMatchObject({ outcome, payouts });
  });

  it('is null where the payouts lack YES', () => {
    expect(toSettlementRecord(resolution, { yesIndex: 2, inverse: false }, true)).toBeNull();
  });

  it.each([
    [9_500, 1],
    [9_501, 0],
    [8_000, 2],
    [12_600, -3],
    [null, null],
  ])('of a market that ended at %s has a delay of %s s', (endTime, settlementDelaySec) => {
    const record = toSettlementRecord({ ...resolution, endTime }, { yesIndex: 0, inverse: false }, true);
    expect(record).toMatchObject({ settlementDelaySec });
  });

  it.each([
    [10_000, 9],
    [10_000 - 5 * 60_000, 9],
    [9_999 - 5 * 60_000, null],
    [null, null],
  ])('of an off-chain market that was resolved after %s has a delay of %s s', (decidedAfter, settlementDelaySec) => {
    const offChain = { ...resolution, endTime: 1_000, blockNumber: null, decidedAfter };
    expect(toSettlementRecord(offChain, { yesIndex: 0, inverse: false }, true)).toMatchObject({ settlementDelaySec });
  });

  it.each([true, false])("contains the link's used: %s", (used) => {
    expect(toSettlementRecord(resolution, { yesIndex: 0, inverse: false }, used)).toMatchObject({ used });
  });

  it.each([
    [null, null],
    [1_000, '1970-01-01T00:00:01.000Z'],
  ])("contains the market's own end time: %s as %s", (endTime, text) => {
    const record = toSettlementRecord({ ...resolution, endTime }, { yesIndex: 0, inverse: false }, true);
    expect(record).toMatchObject({ endTime: text });
  });

  it.each([
    ['on chain', 6, null, null, false],
    ['on chain, whatever decidedAfter is', 6, 1, 1_000, false],
    ['off chain, resolved after an unknown time', null, null, 1_000, true],
    ['off chain, resolved in the 5 minutes before', null, 400_000 - 5 * 60_000, 1_000, false],
    ['off chain, resolved then, with an unknown end', null, 400_000, null, false],
    ['off chain, resolved more than 5 minutes before', null, 399_999 - 5 * 60_000, 1_000, true],
  ])('%s: states whether resolvedAt is only a bound', (_, blockNumber, decidedAfter, endTime, resolvedAtIsBound) => {
    const one = { ...resolution, resolvedAt: 400_000, blockNumber, decidedAfter, endTime };
    const record = toSettlementRecord(one, { yesIndex: 0, inverse: false }, true)!;
    expect(record.resolvedAtIsBound).toBe(resolvedAtIsBound);
    if (resolvedAtIsBound || endTime === null) expect(record.settlementDelaySec).toBeNull();
    else expect(record.settlementDelaySec).toBe(399);
  });
});

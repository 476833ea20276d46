import { describe, expect, it } from 'vitest';
import { aLink } from '#schemas/testing/records.fixture';
import { eventTopic } from '#schemas/topics/derived';
import type { Resolution } from '#schemas/topics/oracle';
import { anEvent, SETTLEMENT_SEEN } from '../shared/oracle-records.fixture.ts';
import { driveChannels, driveLinked, OUTCOME, summary } from './oracle.fixture.ts';

describe('settlements', () => {
  it("are emitted once per provider and event, in the event's terms, with payouts in the market's own order", () => {
    const all = driveChannels();
    all.market({ outcomes: ['No', 'Yes'] });
    all.link(anEvent('evt_1', [aLink({ ...OUTCOME }), aLink(), aLink({ providerMarketId: '0xd' })]));
    const [frame, ...others] = all.resolution({ payouts: ['0', '1'] });
    expect(others).toEqual([]);
    expect(frame).toMatchObject({ channel: 'svc:stream:settlement:evt_1', type: 'settlement.landed', seq: 1 });
    expect(frame!.payload).toEqual({
      ...SETTLEMENT_SEEN,
      outcome: 'yes',
    });
    expect(all.resolution({ id: 'second', marketId: '0xd' })).toEqual([]);
    const offChain = { txHash: null, logIndex: null, blockNumber: null, blockHash: null } as const;
    const market = { id: 'venue_a_outcome:#70', provider: 'venue_a_outcome', marketId: '#70' };
    const outcome = all.resolution({ ...market, ...offChain, decidedAfter: 1, endTime: null, status: 'confirmed' });
    // Its YES is the event's NO.
    expect(summary(outcome)).toEqual(['settlement:evt_1 no confirmed']);
    expect(outcome[0]!.payload).toMatchObject({
      used: true,
      resolvedAtIsBound: false,
      endTime: null,
      settlementDelaySec: null,
      txHash: null,
      payouts: ['1', '0'],
    });
    expect(outcome[0]!.seq).toBe(2);
  });

  it.each([
    [['1', '0'], 'yes'],
    [['0', '1'], 'no'],
    [['0.5', '0.5'], 'split'],
    [['0.333333333333333333', '0.666666666666666667'], 'split'],
  ])('with payouts %j have the outcome %s', (payouts, outcome) => {
    const all = driveLinked();
    expect(all.resolution({ payouts })[0]!.payload.outcome).toBe(outcome);
  });

  it('have no frame for a confirmation, one for a reversal, and a new one when included again', () => {
    const all = driveLinked();
    const send = (fields: Partial<Resolution>) => summary(all.resolution(fields));
    expect(send({})).toEqual(['settlement:evt_1 yes pending']);
    expect(send({ status: 'reverted' })).toEqual(['settlement:evt_1 yes reverted']);
    expect(send({ status: 'reverted' })).toEqual([]);
    all.probe.restart();
    expect(send({ blockNumber: 7 })).toEqual(['settlement:evt_1 yes pending']);
    expect(send({ status: 'confirmed' })).toEqual([]);
    expect(send({ status: 'confirmed' })).toEqual([]);
    expect(send({ id: 'another' })).toEqual([]);
  });

  it('are replaced by the next one of the provider when the first is reverted', () => {
    const all = driveChannels();
    const links = ['0xc', '0xd', '0xe'].map((id) => aLink({ providerMarketId: id }));
    all.link(anEvent('evt_1', links));
    all.resolution();
    expect(all.resolution({ id: 'gone', marketId: '0xe' })).toEqual([]);
    expect(all.resolution({ id: 'gone', marketId: '0xe', status: 'reverted' })).toEqual([]);
    expect(all.resolution({ id: 'next', marketId: '0xd', payouts: ['0', '1'] })).toEqual([]);
    expect(summary(all.resolution({ status: 'reverted' }))).toEqual([
      'settlement:evt_1 yes reverted',
      'settlement:evt_1 no pending',
    ]);
    // The provider is settled, so the first one comes too late, unless the settlement is reverted in turn.
    expect(all.resolution()).toEqual([]);
    expect(summary(all.resolution({ id: 'next', marketId: '0xd', payouts: ['0', '1'], status: 'reverted' }))).toEqual([
      'settlement:evt_1 no reverted',
      'settlement:evt_1 yes pending',
    ]);
  });

  it('wait for their event', () => {
    const all = driveChannels();
    expect(all.resolution()).toEqual([]);
    expect(all.resolution({ id: 'gone', marketId: '0xd' })).toEqual([]);
    all.resolution({ id: 'gone', marketId: '0xd', status: 'reverted' });
    all.probe.restart();
    const linked = all.link(anEvent('evt_1', [aLink(), aLink({ providerMarketId: '0xd' })]));
    expect(summary(linked)).toEqual(['settlement:evt_1 yes pending']);
  });

  it('are emitted for a market whose link is used, whatever other markets were resolved before', () => {
    const all = driveChannels();
    const noon = aLink();
    const night = aLink({ providerMarketId: '0xd', used: false });
    all.link(anEvent('evt_1', [noon, night]));
    const ofNight = { id: 'night', marketId: '0xd', payouts: ['0', '1'] };
    expect(all.resolution(ofNight)).toEqual([]);
    expect(all.resolution({ ...ofNight, status: 'confirmed' })).toEqual([]);
    expect(summary(all.resolution())).toEqual(['settlement:evt_1 yes pending']);
    // It does not replace the settlement either, until its link is used.
    expect(summary(all.resolution({ status: 'reverted' }))).toEqual(['settlement:evt_1 yes reverted']);
    all.probe.restart();
    expect(summary(all.link(anEvent('evt_1', [noon, { ...night, used: true }])))).toEqual([
      'settlement:evt_1 no confirmed',
    ]);
    expect(all.resolution({ blockNumber: 7 })).toEqual([]);
  });

  it('are reverted also if the link of their market is not used any more, and so are their replacements', () => {
    const all = driveChannels();
    const links = (...unused: string[]) =>
      ['0xc', '0xd', '0xe'].map((id) => aLink({ providerMarketId: id, used: !unused.includes(id) }));
    all.link(anEvent('evt_1', links()));
    expect(summary(all.resolution())).toEqual(['settlement:evt_1 yes pending']);
    const split = ['0.5', '0.5'];
    expect(all.resolution({ id: 'no', marketId: '0xd', payouts: ['0', '1'] })).toEqual([]);
    expect(all.resolution({ id: 'split', marketId: '0xe', payouts: split })).toEqual([]);
    all.link(anEvent('evt_1', links('0xc', '0xd')));
    all.probe.restart();
    expect(summary(all.resolution({ status: 'reverted' }))).toEqual([
      'settlement:evt_1 yes reverted',
      'settlement:evt_1 split pending',
    ]);
    expect(all.link(anEvent('evt_1', links()))).toEqual([]);
    expect(summary(all.resolution({ id: 'split', marketId: '0xe', payouts: split, status: 'reverted' }))).toEqual([
      'settlement:evt_1 split reverted',
      'settlement:evt_1 no pending',
    ]);
  });

  it('of a merged event are settlements of its survivor', () => {
    const all = driveChannels();
    all.link(anEvent('evt_0', [aLink()]));
    all.link(anEvent('evt_1', [aLink({ providerMarketId: '0xd' }), aLink({ ...OUTCOME })]));
    expect(summary(all.resolution())).toEqual(['settlement:evt_0 yes pending']);
    all.link(anEvent('evt_1', [aLink(), aLink({ providerMarketId: '0xd' }), aLink({ ...OUTCOME })]));
    all.link(anEvent('evt_0', [], 'evt_1'));
    expect(all.resolution({ id: 'next', marketId: '0xd' })).toEqual([]);
    const outcome = all.resolution({ id: 'other', provider: 'venue_a_outcome', marketId: '#70', status: 'confirmed' });
    expect(summary(outcome)).toEqual(['settlement:evt_1 no confirmed', 'settlement:evt_0 no confirmed']);
    expect(summary(all.resolution({ status: 'reverted' })).slice(0, 2)).toEqual([
      'settlement:evt_1 yes reverted',
      'settlement:evt_0 yes reverted',
    ]);
  });

  it('of an archived event are removed', () => {
    const all = driveChannels();
    const event = anEvent('evt_1', [aLink()]);
    all.link(event);
    all.resolution({ status: 'confirmed' });
    all.probe.remove(eventTopic, 'evt_1', 5_000);
    all.probe.restart();
    all.link(event);
    expect(summary(all.resolution({ id: 'another' }))).toEqual(['settlement:evt_1 yes pending']);
  });

  it('that do not state what YES is paid become a dead letter and change nothing', () => {
    const all = driveChannels();
    expect(() => all.resolution({ payouts: [] })).toThrow('no_payout');
    expect(all.link(anEvent('evt_1', [aLink()]))).toEqual([]);
    expect(() => all.resolution({ payouts: [] })).toThrow('no_payout');
    expect(summary(all.resolution())).toEqual(['settlement:evt_1 yes pending']);
  });
});

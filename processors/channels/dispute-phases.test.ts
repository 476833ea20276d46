import { describe, expect, it } from 'vitest';
import { aLink } from '#schemas/testing/records.fixture';
import { defaultBatchSize } from '../shared/drop-oldest.ts';
import { anEvent, PHASE_SEEN } from '../shared/oracle-records.fixture.ts';
import { WAITING_MARKETS_MAX } from '../shared/waiting.ts';
import { driveChannels, driveLinked, summary } from './oracle.fixture.ts';

describe('dispute phases', () => {
  it('go to the firehose of their venue and to their event, in the format of REST', () => {
    const all = driveLinked();
    const frames = all.phase({ phase: 'dispute', disputer: `0x${'dd'.repeat(20)}` });
    expect(frames.map(({ channel }) => channel)).toEqual([
      'svc:stream:settlement_dispute:venue_b',
      'svc:stream:settlement_dispute:evt_1',
    ]);
    expect(frames[1]).toMatchObject({ seq: 1, type: 'settlement.dispute', provider: 'venue_b', marketId: '0xc' });
    expect(frames[1]!.receivedAt).toBe(2_000);
    expect(frames[1]!.payload).toEqual({
      id: 'venue_b:0xt:1',
      ...PHASE_SEEN,
      phase: 'dispute',
      disputer: `0x${'dd'.repeat(20)}`,
    });
  });

  it('report a reset in order, numbered without a gap', () => {
    const all = driveLinked();
    const story = ['propose', 'dispute', 'propose', 'settle'] as const;
    const frames = story.flatMap((phase, at) =>
      all.phase({ id: `venue_b:0xt:${at}`, phase, requestTimestamp: at < 2 ? 1 : 2 }),
    );
    const own = frames.filter(({ channel }) => channel.endsWith(':evt_1'));
    expect(own.map(({ payload }) => [payload.phase, payload.requestTimestamp])).toEqual([
      ['propose', 1],
      ['dispute', 1],
      ['propose', 2],
      ['settle', 2],
    ]);
    expect(own.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('have no frame for a confirmation, one for a reversal, and a new one when included again', () => {
    const all = driveLinked();
    const both = (status: string) => [
      `settlement_dispute:venue_b propose ${status}`,
      `settlement_dispute:evt_1 propose ${status}`,
    ];
    expect(summary(all.phase())).toEqual(both('pending'));
    expect(summary(all.phase({ status: 'reverted' }))).toEqual(both('reverted'));
    all.probe.restart();
    expect(summary(all.phase({ blockNumber: 6 }))).toEqual(both('pending'));
    expect(all.phase({ status: 'confirmed' })).toEqual([]);
  });

  it('reach their event once it is known, in order, and no other channel again', () => {
    const all = driveChannels();
    expect(summary(all.phase({ marketId: null }))).toEqual(['settlement_dispute:venue_b propose pending']);
    // Its market is known before the event: nothing to emit yet.
    expect(all.phase()).toEqual([]);
    expect(summary(all.phase({ id: 'venue_b:0xt:2', phase: 'dispute' }))).toEqual([
      'settlement_dispute:venue_b dispute pending',
    ]);
    all.phase({ id: 'venue_b:0xt:3', phase: 'settle' });
    all.phase({ id: 'venue_b:0xt:3', phase: 'settle', status: 'reverted' });
    all.probe.restart();
    expect(summary(all.link(anEvent('evt_1', [aLink()])))).toEqual([
      'settlement_dispute:evt_1 propose pending',
      'settlement_dispute:evt_1 dispute pending',
    ]);
    expect(all.link(anEvent('evt_1', [aLink()]))).toEqual([]);
    expect(all.phase({ status: 'confirmed' })).toEqual([]);
  });

  it('that were confirmed and move to another market go to its event, and to no other channel again', () => {
    const all = driveLinked();
    all.phase();
    expect(all.phase({ status: 'confirmed' })).toEqual([]);
    all.probe.restart();
    expect(all.phase({ status: 'confirmed', marketId: '0xd' })).toEqual([]);
    expect(summary(all.link(anEvent('evt_2', [aLink({ providerMarketId: '0xd' })])))).toEqual([
      'settlement_dispute:evt_2 propose confirmed',
    ]);
    expect(all.phase({ status: 'confirmed', marketId: '0xd' })).toEqual([]);
    // A chain may still revert a confirmed record, once.
    const reverted = { status: 'reverted', marketId: '0xd' } as const;
    expect(summary(all.phase(reverted))).toEqual([
      'settlement_dispute:venue_b propose reverted',
      'settlement_dispute:evt_2 propose reverted',
    ]);
    expect(all.phase(reverted)).toEqual([]);
  });

  it('wait for a bounded number of markets, the newest', () => {
    const all = driveChannels();
    for (let at = 0; at <= WAITING_MARKETS_MAX; at += 1) all.phase({ id: `x${at}`, marketId: `0x${at}` });
    const linked = (at: number) => all.link(anEvent(`evt_${at}`, [aLink({ providerMarketId: `0x${at}` })]));
    expect(linked(0)).toEqual([]);
    const first = defaultBatchSize(WAITING_MARKETS_MAX);
    expect(summary(linked(first))).toEqual([`settlement_dispute:evt_${first} propose pending`]);
  });

  it("go to the channels of merged events and to the survivor's", () => {
    const all = driveLinked();
    all.link(anEvent('evt_0', [], 'evt_1'));
    expect(all.phase().map(({ channel }) => channel.split(':').at(-1))).toEqual(['venue_b', 'evt_1', 'evt_0']);
  });
});

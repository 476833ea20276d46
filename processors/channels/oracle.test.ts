import { describe, expect, it } from 'vitest';
import { aLink, aMarket, anAnomaly, aPhase, aResolution } from '#schemas/testing/records.fixture';
import { type Anomaly, anomalyTopic } from '#schemas/topics/anomalies';
import { channelTopics } from '#schemas/topics/channels';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import { type Market, marketTopics } from '#schemas/topics/normalised';
import { type DisputePhase, disputeTopic, type Resolution, resolutionTopics } from '#schemas/topics/oracle';
import { defaultBatchSize } from '../shared/drop-oldest.ts';
import { anEvent } from '../shared/oracle-records.fixture.ts';
import { WAITING_MARKETS_MAX } from '../shared/waiting.ts';
import type { DrivenOutput } from '../testing/drive-stage.fixture.ts';
import { emittedTo, probeStage } from '../testing/stage-probe.fixture.ts';
import { createChannelsStage } from './stage.ts';

const OUTCOME = { provider: 'venue_a_outcome', providerMarketId: '#70', polarity: 'inverse' } as const;
const venueOf = (provider: string) => (provider === 'venue_b' ? 'venue_b' : 'venue_a');

function harness() {
  const probe = probeStage(createChannelsStage());
  const frames = (outputs: DrivenOutput[]) =>
    emittedTo(outputs, channelTopics.events).map((frame) => ({ ...frame, payload: JSON.parse(frame.payload) }));
  const all = {
    probe,
    link: (event: UniversalEvent) => frames(probe.send(eventTopic, event.universalId, event)),
    market: (fields: Partial<Market>) =>
      probe.send(marketTopics[venueOf(fields.provider ?? 'venue_b')], '', aMarket(fields)),
    phase: (fields: Partial<DisputePhase> = {}) => frames(probe.send(disputeTopic, '', aPhase(fields))),
    resolution(fields: Partial<Resolution> = {}) {
      const value = aResolution(fields);
      return frames(probe.send(resolutionTopics[venueOf(value.provider)], value.marketId, value));
    },
    anomaly: (fields: Partial<Anomaly> = {}) => frames(probe.send(anomalyTopic, '', anAnomaly(fields))),
  };
  return all;
}
type Frame = ReturnType<ReturnType<typeof harness>['phase']>[number];
/** Returns the channel of each frame with the fields that distinguish it. */
const summary = (frames: readonly Frame[]) =>
  frames.map(({ channel, payload }) => {
    const { phase, outcome, status } = payload;
    return `${channel.slice('svc:stream:'.length)} ${phase ?? outcome} ${status}`;
  });

describe('dispute phases', () => {
  it('go to the firehose of their venue and to their event, in the format of REST', () => {
    const all = harness();
    all.link(anEvent('evt_1', [aLink()]));
    const frames = all.phase({ phase: 'dispute', disputer: `0x${'dd'.repeat(20)}` });
    expect(frames.map(({ channel }) => channel)).toEqual([
      'svc:stream:settlement_dispute:venue_b',
      'svc:stream:settlement_dispute:evt_1',
    ]);
    expect(frames[1]).toMatchObject({ seq: 1, type: 'settlement.dispute', provider: 'venue_b', marketId: '0xc' });
    expect(frames[1]!.receivedAt).toBe(2_000);
    expect(frames[1]!.payload).toEqual({
      id: 'venue_b:0xt:1',
      phase: 'dispute',
      provider: 'venue_b',
      marketId: '0xc',
      questionId: '0xq',
      requestTimestamp: 1,
      proposer: `0x${'aa'.repeat(20)}`,
      disputer: `0x${'dd'.repeat(20)}`,
      price: '1',
      ts: '1970-01-01T00:00:01.900Z',
      blockNumber: 5,
      txHash: '0xt',
      logIndex: 1,
      status: 'pending',
    });
  });

  it('report a reset in order, numbered without a gap', () => {
    const all = harness();
    all.link(anEvent('evt_1', [aLink()]));
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
    const all = harness();
    all.link(anEvent('evt_1', [aLink()]));
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
    const all = harness();
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
    const all = harness();
    all.link(anEvent('evt_1', [aLink()]));
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
    const all = harness();
    for (let at = 0; at <= WAITING_MARKETS_MAX; at += 1) all.phase({ id: `x${at}`, marketId: `0x${at}` });
    const linked = (at: number) => all.link(anEvent(`evt_${at}`, [aLink({ providerMarketId: `0x${at}` })]));
    expect(linked(0)).toEqual([]);
    const first = defaultBatchSize(WAITING_MARKETS_MAX);
    expect(summary(linked(first))).toEqual([`settlement_dispute:evt_${first} propose pending`]);
  });

  it("go to the channels of merged events and to the survivor's", () => {
    const all = harness();
    all.link(anEvent('evt_1', [aLink()]));
    all.link(anEvent('evt_0', [], 'evt_1'));
    expect(all.phase().map(({ channel }) => channel.split(':').at(-1))).toEqual(['venue_b', 'evt_1', 'evt_0']);
  });
});

describe('settlements', () => {
  it("are emitted once per provider and event, in the event's terms, with payouts in the market's own order", () => {
    const all = harness();
    all.market({ outcomes: ['No', 'Yes'] });
    all.link(anEvent('evt_1', [aLink({ ...OUTCOME }), aLink(), aLink({ providerMarketId: '0xd' })]));
    const [frame, ...others] = all.resolution({ payouts: ['0', '1'] });
    expect(others).toEqual([]);
    expect(frame).toMatchObject({ channel: 'svc:stream:settlement:evt_1', type: 'settlement.landed', seq: 1 });
    expect(frame!.payload).toEqual({
      provider: 'venue_b',
      marketId: '0xc',
      used: true,
      outcome: 'yes',
      payouts: ['0', '1'],
      resolvedAt: '1970-01-01T00:00:02.900Z',
      resolvedAtIsBound: false,
      endTime: '1970-01-01T00:00:01.000Z',
      settlementDelaySec: 2,
      txHash: '0xr',
      logIndex: 1,
      blockNumber: 6,
      status: 'pending',
    });
    expect(all.resolution({ id: 'second', marketId: '0xd' })).toEqual([]);
    const offChain = {
      txHash: null,
      logIndex: null,
      blockNumber: null,
      blockHash: null,
      decidedAfter: 1,
      endTime: null,
    };
    const outcome = all.resolution({
      ...offChain,
      id: 'venue_a_outcome:#70',
      provider: 'venue_a_outcome',
      marketId: '#70',
      status: 'confirmed',
    });
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
    const all = harness();
    all.link(anEvent('evt_1', [aLink()]));
    expect(all.resolution({ payouts })[0]!.payload.outcome).toBe(outcome);
  });

  it('have no frame for a confirmation, one for a reversal, and a new one when included again', () => {
    const all = harness();
    all.link(anEvent('evt_1', [aLink()]));
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
    const all = harness();
    all.link(
      anEvent(
        'evt_1',
        ['0xc', '0xd', '0xe'].map((id) => aLink({ providerMarketId: id })),
      ),
    );
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
    const all = harness();
    expect(all.resolution()).toEqual([]);
    expect(all.resolution({ id: 'gone', marketId: '0xd' })).toEqual([]);
    all.resolution({ id: 'gone', marketId: '0xd', status: 'reverted' });
    all.probe.restart();
    const linked = all.link(anEvent('evt_1', [aLink(), aLink({ providerMarketId: '0xd' })]));
    expect(summary(linked)).toEqual(['settlement:evt_1 yes pending']);
  });

  it('are emitted for a market whose link is used, whatever other markets were resolved before', () => {
    const all = harness();
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
    const all = harness();
    const links = (...unused: string[]) =>
      ['0xc', '0xd', '0xe'].map((id) => aLink({ providerMarketId: id, used: !unused.includes(id) }));
    all.link(anEvent('evt_1', links()));
    expect(summary(all.resolution())).toEqual(['settlement:evt_1 yes pending']);
    const [no, split] = [
      ['0', '1'],
      ['0.5', '0.5'],
    ];
    expect(all.resolution({ id: 'no', marketId: '0xd', payouts: no })).toEqual([]);
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
    const all = harness();
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
    const all = harness();
    const event = anEvent('evt_1', [aLink()]);
    all.link(event);
    all.resolution({ status: 'confirmed' });
    all.probe.remove(eventTopic, 'evt_1', 5_000);
    all.probe.restart();
    all.link(event);
    expect(summary(all.resolution({ id: 'another' }))).toEqual(['settlement:evt_1 yes pending']);
  });

  it('that do not state what YES is paid become a dead letter and change nothing', () => {
    const all = harness();
    expect(() => all.resolution({ payouts: [] })).toThrow('no_payout');
    expect(all.link(anEvent('evt_1', [aLink()]))).toEqual([]);
    expect(() => all.resolution({ payouts: [] })).toThrow('no_payout');
    expect(summary(all.resolution())).toEqual(['settlement:evt_1 yes pending']);
  });
});

describe('anomalies', () => {
  it('go to the channels of their event, their kind and all anomalies, in the format of REST', () => {
    const all = harness();
    const frames = all.anomaly();
    expect(frames.map(({ channel }) => channel)).toEqual([
      'svc:stream:anomaly:evt_1',
      'svc:stream:anomaly:trade-volume',
      'svc:stream:anomaly:all',
    ]);
    expect(frames[0]).toMatchObject({ type: 'anomaly.detected', provider: 'venue_b', marketId: '0xc', seq: 1 });
    expect(frames[2]!.payload).toEqual({
      id: 'an_1',
      kind: 'trade_volume_spike',
      universalId: 'evt_1',
      provider: 'venue_b',
      marketId: '0xc',
      ts: '1970-01-01T00:00:00.000Z',
      bucketVol: 5200,
      baselineMean: 800,
      baselineStddev: 400,
      zScore: 11.25,
      raw: { trades: 7 },
    });
  });

  it.each([
    ['spread_widening', 'spread-widening'],
    ['wallet_burst', 'wallet-burst'],
    ['settlement_delay', 'settlement-delay'],
  ] as const)('of the kind %s have the channel %s', (kind, channel) => {
    const frames = harness().anomaly({ kind, bucketVol: null, raw: null });
    expect(frames[1]).toMatchObject({
      channel: `svc:stream:anomaly:${channel}`,
      payload: { bucketVol: null, raw: null },
    });
  });

  it('of a merged event belong to the survivor', () => {
    const all = harness();
    all.link(anEvent('evt_0', [], 'evt_1'));
    const frames = all.anomaly({ universalId: 'evt_0' });
    expect(frames.map(({ channel }) => channel.split(':').at(-1))).toEqual(['evt_1', 'evt_0', 'trade-volume', 'all']);
    expect(frames.map(({ payload }) => payload.universalId)).toEqual(Array(4).fill('evt_1'));
  });
});

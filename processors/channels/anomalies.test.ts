import { describe, expect, it } from 'vitest';
import { anEvent } from '../shared/oracle-records.fixture.ts';
import { driveChannels } from './oracle.fixture.ts';

describe('anomalies', () => {
  it('go to the channels of their event, their kind and all anomalies, in the format of REST', () => {
    const all = driveChannels();
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
    const frames = driveChannels().anomaly({ kind, bucketVol: null, raw: null });
    expect(frames[1]).toMatchObject({
      channel: `svc:stream:anomaly:${channel}`,
      payload: { bucketVol: null, raw: null },
    });
  });

  it('of a merged event belong to the survivor', () => {
    const all = driveChannels();
    all.link(anEvent('evt_0', [], 'evt_1'));
    const frames = all.anomaly({ universalId: 'evt_0' });
    expect(frames.map(({ channel }) => channel.split(':').at(-1))).toEqual(['evt_1', 'evt_0', 'trade-volume', 'all']);
    expect(frames.map(({ payload }) => payload.universalId)).toEqual(Array(4).fill('evt_1'));
  });
});

import { expect, it } from 'vitest';
import type { Emit } from '#infra/stages/stage';
import { formatChannel } from '#schemas/stream/channel-names';
import { type ChannelFrame, channelTopics } from '#schemas/topics/channels';
import { createChannelSeqs } from './channel-seqs.ts';
import { tellRaw } from './tell-raw.ts';

it('numbers the events of each channel from 1 and keys them by it', () => {
  const told: [string, ChannelFrame][] = [];
  const emit: Emit = Object.assign(
    (_: unknown, key: string, value: unknown) => {
      told.push([key, value as ChannelFrame]);
    },
    { remove: () => {}, dead: () => {} },
  );
  const seqs = createChannelSeqs();
  for (const [instrument, payload] of [
    ['BTC', '{"a":1.0}'],
    ['*', '[]'],
    ['BTC', '{"a":2.0}'],
  ] as const) {
    const channel = formatChannel(instrument === '*' ? { kind: 'raw-mids' } : { kind: 'raw-coin', coin: instrument });
    tellRaw(seqs, channelTopics.venue_a, emit, {
      channel,
      provider: 'venue_a_perp',
      marketId: null,
      receivedAt: 7,
      payload,
    });
  }
  const channel = 'svc:stream:venue_a_perp:BTC';
  expect(told.map(([key, { seq }]) => `${key} ${seq}`)).toEqual([
    `${channel} 1`,
    'svc:stream:venue_a_perp:* 1',
    `${channel} 2`,
  ]);
  expect(told[2]![1]).toEqual({
    channel,
    seq: 2,
    type: 'raw',
    provider: 'venue_a_perp',
    marketId: null,
    receivedAt: 7,
    payload: '{"a":2.0}',
  });
});

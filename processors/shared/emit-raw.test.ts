import { expect, it } from 'vitest';
import type { Emit } from '#infra/stages/stage';
import { formatChannel } from '#schemas/stream/channel-names';
import { channelTopics, type RawChannelFrame } from '#schemas/topics/channels';
import { createChannelSeqs } from './channel-seqs.ts';
import { emitRaw } from './emit-raw.ts';

it('numbers the events of each channel from 1 and keys them by it', () => {
  const emitted: [string, RawChannelFrame][] = [];
  const emit: Emit = Object.assign(
    (_: unknown, key: string, value: unknown) => {
      emitted.push([key, value as RawChannelFrame]);
    },
    { remove: () => {}, deadLetter: () => {} },
  );
  const seqs = createChannelSeqs();
  for (const [offset, instrument] of ['BTC', '*', 'BTC'].entries()) {
    const channel = formatChannel({ kind: 'raw', provider: 'venue_a_perp', instrument });
    const source = { topic: 'raw.venue_a.ws', partition: 3, offset, receivedAt: 7 };
    const event = { channel, provider: 'venue_a_perp', marketId: null, piece: { start: 5, length: 9 } };
    emitRaw(seqs, channelTopics.venue_a, emit, source, event);
  }
  const channel = 'svc:stream:venue_a_perp:BTC';
  expect(emitted.map(([key, { seq }]) => `${key} ${seq}`)).toEqual([
    `${channel} 1`,
    'svc:stream:venue_a_perp:* 1',
    `${channel} 2`,
  ]);
  expect(emitted[2]![1]).toEqual({
    channel,
    seq: 2,
    provider: 'venue_a_perp',
    marketId: null,
    receivedAt: 7,
    topic: 'raw.venue_a.ws',
    partition: 3,
    offset: 2,
    start: 5,
    length: 9,
  });
});

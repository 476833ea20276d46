import { describe, expect, it } from 'vitest';
import type { ChannelName } from './channel.ts';
import { channelOf, formatChannel, parseChannel } from './channel-names.ts';

const LARGEST_TOKEN = ((1n << 256n) - 1n).toString();

const CHANNELS: readonly [string, ChannelName, string][] = [
  ['svc:stream:event:evt_0a1b', { kind: 'event', universalId: 'evt_0a1b' }, 'events'],
  ['svc:stream:arbitrage:evt_0a1b', { kind: 'arbitrage', universalId: 'evt_0a1b' }, 'events'],
  ['svc:stream:trade:evt_0a1b', { kind: 'trade-event', universalId: 'evt_0a1b' }, 'events'],
  ['svc:stream:trade:venue_b', { kind: 'trade-provider', provider: 'venue_b' }, 'events'],
  ['svc:stream:trade:venue_a_perp', { kind: 'trade-provider', provider: 'venue_a_perp' }, 'events'],
  ['svc:stream:trade:venue_a_dex', { kind: 'trade-provider', provider: 'venue_a_dex' }, 'events'],
  ['svc:stream:trade:venue_a_outcome', { kind: 'trade-provider', provider: 'venue_a_outcome' }, 'events'],
  ['svc:stream:trade:venue_c', { kind: 'trade-provider', provider: 'venue_c' }, 'events'],
  ['svc:stream:user-trade:org_7', { kind: 'user-trade', orgId: 'org_7' }, 'organizations'],
  ['svc:stream:anomaly:evt_0a1b', { kind: 'anomaly-event', universalId: 'evt_0a1b' }, 'events'],
  ['svc:stream:anomaly:wallet-burst', { kind: 'anomaly-kind', anomalyKind: 'wallet-burst' }, 'events'],
  ['svc:stream:anomaly:all', { kind: 'anomaly-all' }, 'events'],
  ['svc:stream:settlement_dispute:evt_0a1b', { kind: 'dispute-event', universalId: 'evt_0a1b' }, 'events'],
  ['svc:stream:settlement_dispute:venue_b', { kind: 'dispute-venue' }, 'events'],
  ['svc:stream:settlement:evt_0a1b', { kind: 'settlement', universalId: 'evt_0a1b' }, 'events'],
  ['svc:stream:venue_a_perp:*', { kind: 'raw', provider: 'venue_a_perp', instrument: '*' }, 'venue_a'],
  ['svc:stream:venue_a_perp:BTC', { kind: 'raw', provider: 'venue_a_perp', instrument: 'BTC' }, 'venue_a'],
  [
    'svc:stream:venue_a_perp:dexy:GOLD-2',
    { kind: 'raw', provider: 'venue_a_perp', instrument: 'dexy:GOLD-2' },
    'venue_a',
  ],
  ['svc:stream:venue_a_perp:@107', { kind: 'raw', provider: 'venue_a_perp', instrument: '@107' }, 'venue_a'],
  ['svc:stream:venue_a_perp:PURR/USDC', { kind: 'raw', provider: 'venue_a_perp', instrument: 'PURR/USDC' }, 'venue_a'],
  ['svc:stream:venue_a_outcome:*', { kind: 'raw', provider: 'venue_a_outcome', instrument: '*' }, 'venue_a'],
  [`svc:stream:venue_b:${LARGEST_TOKEN}`, { kind: 'raw', provider: 'venue_b', instrument: LARGEST_TOKEN }, 'venue_b'],
  ['svc:stream:venue_c:KXCOIN-1-T5.5', { kind: 'raw', provider: 'venue_c', instrument: 'KXCOIN-1-T5.5' }, 'events'],
];

describe('parseChannel', () => {
  it.each(CHANNELS)('parses %s, and formatChannel writes it back', (name, expected, writer) => {
    const channel = parseChannel(name);
    expect(channel).toEqual(channelOf(expected));
    expect(channel?.writer).toBe(writer);
    expect(formatChannel(expected)).toBe(name);
  });

  it.each([
    '',
    'svc:stream:',
    'svc:stream:event',
    'svc:stream:event:',
    'svc:stream:event:0a1b',
    'svc:stream:event:evt_',
    'svc:stream:event:evt_0a1b ',
    'svc:stream:event:evt_*',
    'SVC:stream:event:evt_0a1b',
    'svc:stream:Event:evt_0a1b',
    'svc:stream:trade:venue_a',
    'svc:stream:trade:*',
    'svc:stream:anomaly:wallet_burst',
    'svc:stream:anomaly:*',
    'svc:stream:settlement:venue_b',
    'svc:stream:settlement_dispute:venue_a',
    'svc:stream:user-trade:',
    'svc:stream:venue_a_perp:',
    'svc:stream:venue_a_perp:BT*',
    'svc:stream:venue_a_perp:#10',
    'svc:stream:venue_a_perp:@',
    'svc:stream:venue_a_perp:@1x',
    'svc:stream:venue_a_perp:A/B/C',
    'svc:stream:venue_a_perp:/USDC',
    'svc:stream:venue_a_outcome:#10',
    'svc:stream:venue_b:*',
    'svc:stream:venue_b:007',
    `svc:stream:venue_b:${(BigInt(LARGEST_TOKEN) + 1n).toString()}`,
    'svc:stream:venue_c:*',
    'svc:stream:venue_d:X',
  ])('returns null for %j', (name) => {
    expect(parseChannel(name)).toBeNull();
  });

  it('accepts a universal id of 64 characters and none of 65', () => {
    expect(parseChannel(`svc:stream:event:evt_${'a'.repeat(64)}`)).not.toBeNull();
    expect(parseChannel(`svc:stream:event:evt_${'a'.repeat(65)}`)).toBeNull();
  });
});

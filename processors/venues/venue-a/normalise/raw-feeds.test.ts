import { describe, expect, it } from 'vitest';
import { parseChannel } from '#schemas/stream/channel-names';
import { channelTopics, type RawChannelFrame } from '#schemas/topics/channels';
import { bookOf, driveVenueA, START, trade } from './venue-a.fixture.ts';

const ALL_MIDS = 'svc:stream:venue_a_perp:*';
const OUTCOMES = 'svc:stream:venue_a_outcome:*';

type Venue = ReturnType<typeof driveVenueA>;
const frames = (venue: Venue): RawChannelFrame[] => venue.stage.emittedTo(channelTopics.venue_a);
/** `channel provider marketId`. */
const sentTo = (venue: Venue) =>
  frames(venue).map(({ channel, provider, marketId }) => `${channel} ${provider} ${marketId}`);

describe('a raw feed', () => {
  it('carries the data of the frame byte for byte, numbered within its channel', () => {
    const venue = driveVenueA();
    const data = `{"coin":"BTC", "näme":"€ 😀","time":${START},"levels":[[{"px":"1.50","sz":"2.0","n":1}],[]]}`;
    venue.text(`{"channel":"l2Book","data":${data}}`, 7);
    venue.frame('l2Book', bookOf('ETH', [], []), 8);
    venue.stage.restart();
    venue.text(`{"note":"ö 😀","data":${data},"channel":"l2Book"}`, 9);
    expect(frames(venue)[0]).toEqual({
      channel: 'svc:stream:venue_a_perp:BTC',
      seq: 1,
      provider: 'venue_a_perp',
      marketId: 'BTC',
      receivedAt: START + 7,
      topic: 'raw.venue_a.ws',
      partition: 2,
      offset: 0,
      start: '{"channel":"l2Book","data":'.length,
      length: data.length,
    });
    expect(frames(venue).map(({ channel, seq }) => `${channel} ${seq}`)).toEqual([
      'svc:stream:venue_a_perp:BTC 1',
      'svc:stream:venue_a_perp:ETH 1',
      'svc:stream:venue_a_perp:BTC 2',
    ]);
    expect([0, 2].map((at) => venue.payloadOf(frames(venue)[at]!))).toEqual([data, data]);
  });

  it('carries a book on the channel of its coin, also of a contract or a pair, which clients can subscribe to', () => {
    const venue = driveVenueA();
    for (const coin of ['abc:GOLD', '@107', 'PURR/USDC']) venue.frame('l2Book', bookOf(coin, [], []));
    expect(sentTo(venue)).toEqual([
      'svc:stream:venue_a_perp:abc:GOLD venue_a_dex abc:GOLD',
      'svc:stream:venue_a_perp:@107 venue_a_perp @107',
      'svc:stream:venue_a_perp:PURR/USDC venue_a_perp PURR/USDC',
    ]);
    for (const { channel } of frames(venue)) expect(parseChannel(channel), channel).not.toBeNull();
  });

  it('carries mids on the channel of all coins, and on that of outcomes if a mid is of one', () => {
    const venue = driveVenueA();
    venue.frame('allMids', { mids: { BTC: '1' } });
    venue.frame('allMids', { mids: { 'abc:GOLD': '1' }, dex: 'abc' });
    venue.frame('allMids', { mids: { BTC: '1', '#70': '0.4' } });
    expect(sentTo(venue)).toEqual([
      `${ALL_MIDS} venue_a_perp null`,
      `${ALL_MIDS} venue_a_dex null`,
      `${ALL_MIDS} venue_a_perp null`,
      `${OUTCOMES} venue_a_outcome null`,
    ]);
    const [, , mids, outcomes] = frames(venue).map((frame) => venue.payloadOf(frame));
    expect([mids, outcomes]).toEqual(Array(2).fill('{"mids":{"BTC":"1","#70":"0.4"}}'));
  });

  it('carries the books, trades and contexts of outcomes', () => {
    const venue = driveVenueA();
    venue.frame('l2Book', bookOf('#71', [], []));
    venue.frame('trades', [trade({ coin: '#70' }), trade({ coin: '#71' })]);
    venue.frame('trades', [trade({ coin: '#70' }), trade({ coin: '#80' })]);
    venue.frame('activeSpotAssetCtx', { coin: '#80', ctx: { markPx: '0.4' } });
    expect(sentTo(venue)).toEqual([
      `${OUTCOMES} venue_a_outcome #70`,
      `${OUTCOMES} venue_a_outcome #70`,
      `${OUTCOMES} venue_a_outcome null`,
      `${OUTCOMES} venue_a_outcome #80`,
    ]);
  });

  it('does not exist for trades and contexts of other coins, nor for answers', () => {
    const venue = driveVenueA();
    venue.frame('trades', [trade()]);
    venue.frame('activeAssetCtx', { coin: 'BTC', ctx: { markPx: '1' } });
    venue.answer({ type: 'l2Book', coin: 'BTC' }, bookOf('BTC', [], []));
    venue.answer({ type: 'allMids' }, { BTC: '1' });
    expect(frames(venue)).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { DecimalError } from '#schemas/domain/decimal';
import { type MarketStatus, statusTopics } from '#schemas/topics/normalised';
import { createVenueAStage } from './stage.ts';
import { bookOf, driveVenueA, START, trade } from './venue-a.fixture.ts';

type Venue = ReturnType<typeof driveVenueA>;
const statuses = (venue: Venue) =>
  venue.stage.emittedTo(statusTopics.venue_a).map(({ instrument, state }: MarketStatus) => `${instrument} ${state}`);

describe('a message of the venue', () => {
  it.each([
    ['an acknowledgement', { channel: 'subscriptionResponse', data: { method: 'subscribe' } }],
    ['a pong', { channel: 'pong' }],
    ['an error', { channel: 'error', data: 'Already subscribed: {}' }],
    ['a channel of no use here', { channel: 'candle', data: { t: 1 } }],
    ['an unknown channel', { channel: 'constructor', data: {} }],
  ])('is ignored if it is %s', (_, frame) => {
    const venue = driveVenueA();
    venue.text(JSON.stringify(frame));
    expect(venue.stage.outputs).toEqual([]);
    expect(venue.stage.deadLetters).toEqual([]);
  });

  it('becomes a dead letter if it is no JSON', () => {
    const venue = driveVenueA();
    venue.text('{"channel":"trades","data":[{"coin":"BT');
    venue.answer({ type: 'meta' }, '<html>');
    expect(venue.stage.deadLetters.map(({ topic, reason }) => `${topic} ${reason}`)).toEqual([
      'raw.venue_a.ws malformed_json',
      'raw.venue_a.info malformed_answer',
    ]);
  });

  it('becomes a dead letter if its request is unknown', () => {
    const venue = driveVenueA();
    venue.answer(null, {});
    venue.answer('GET /x', {});
    venue.answer({ dex: '' }, {});
    expect(venue.stage.deadLetters.map(({ reason }) => reason)).toEqual(Array(3).fill('malformed_answer'));
  });

  it('is ignored if its request type is not used', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'perpDexs' }, [null]);
    venue.answer({ type: 'constructor' }, {});
    venue.answer({ type: 'clearinghouseState', user: '0x0' }, { time: 1 });
    expect(venue.stage.outputs).toEqual([]);
    expect(venue.stage.deadLetters).toEqual([]);
  });
});

describe('the status of a coin', () => {
  it('follows the connection that carries its book', () => {
    const venue = driveVenueA();
    venue.frame('l2Book', bookOf('BTC', [], []), 0, 'venue_a.ws.1');
    venue.frame('l2Book', bookOf('#71', [], []), 0, 'venue_a.ws.2');
    venue.text('{"channel":"pong"}', 20_000, 'venue_a.ws.1');
    venue.clock(35_000);
    expect(statuses(venue)).toEqual(['BTC live', '#71 live', '#71 stale']);
    expect(venue.stage.emittedTo(statusTopics.venue_a)[2]).toMatchObject({
      provider: 'venue_a_outcome',
      marketId: '#70',
      feed: 'venue_a.ws.2',
      since: START + 35_000,
    });
    venue.feedEvent('disconnected', 36_000, 'venue_a.ws.1');
    venue.feedEvent('connected', 37_000, 'venue_a.ws.1');
    venue.frame('l2Book', bookOf('BTC', [], []), 38_000, 'venue_a.ws.1');
    expect(statuses(venue).slice(3)).toEqual(['BTC recovering', 'BTC live']);
  });

  it('remains live with frames that cannot be read', () => {
    const venue = driveVenueA();
    venue.frame('l2Book', bookOf('BTC', [], []), 0);
    venue.text('{', 29_000);
    venue.clock(35_000);
    expect(statuses(venue)).toEqual(['BTC live']);
  });

  it('does not follow from books in answers', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'l2Book', coin: 'BTC' }, bookOf('BTC', [], []));
    expect(statuses(venue)).toEqual([]);
  });
});

describe('the stage', () => {
  it('continues from a snapshot at any record without a difference in its outputs', () => {
    const send = (venue: Venue, restart: () => void) => {
      for (let at = 0; at < 40; at += 1) {
        venue.frame('trades', [trade({ tid: at % 7, time: START + (at % 5), coin: at % 2 ? '#71' : 'BTC' })], at);
        venue.frame('l2Book', bookOf('BTC', [[`${at % 3}`, '1']], []), at);
        venue.frame('allMids', { mids: { BTC: `${at % 4}`, '#70': '0.5' } }, at);
        venue.answer({ type: 'outcomeMeta' }, { outcomes: at % 9 ? [{ outcome: 7, name: 'Cup' }] : [] }, at);
        restart();
      }
    };
    const uninterrupted = driveVenueA();
    send(uninterrupted, () => {});
    const restarted = driveVenueA();
    send(restarted, () => restarted.stage.restart());
    expect(restarted.stage.outputs).toEqual(uninterrupted.stage.outputs);
    expect(uninterrupted.stage.outputs.length).toBeGreaterThan(100);
  });

  it('refuses a fee rate that is no decimal', () => {
    expect(() => createVenueAStage({ outcomeTakerFeeRate: '7bp' })).toThrow(DecimalError);
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { venueCandleRangeTopics, venueCandleTopics } from '#schemas/topics/candles';
import { driveVenueA, START } from './venue-a.fixture.ts';

const MINUTE = 60_000;
/** The start of a minute. */
const FIRST = START - (START % MINUTE) - 10 * MINUTE;

const bar = (minute: number, change: object = {}) => ({
  t: FIRST + minute * MINUTE,
  T: FIRST + (minute + 1) * MINUTE - 1,
  s: 'BTC',
  i: '1m',
  o: '10.50',
  c: '11.0',
  h: '12',
  l: '9.5',
  v: '3.250',
  n: 4,
  ...change,
});

/** Answers a request, `at` ms after the first minute. */
function answered(
  bars: unknown,
  { from = 0, until = 5 * MINUTE - 1, at = 10 * MINUTE, coin = 'BTC', interval = '1m' } = {},
) {
  const venue = driveVenueA();
  const req = { coin, interval, startTime: FIRST + from, endTime: FIRST + until };
  venue.answer({ type: 'candleSnapshot', req }, bars, FIRST + at - START);
  const range = venue.stage.emittedTo(venueCandleRangeTopics.venue_a)[0];
  return {
    deadLetters: venue.stage.deadLetters,
    candles: venue.stage.emittedTo(venueCandleTopics.venue_a),
    range: range && [range.from - FIRST, range.until! - FIRST],
    record: range,
  };
}

describe('bars of the venue', () => {
  it('are emitted exactly, with the range in which they are complete', () => {
    const { candles, record } = answered([bar(0), bar(1, { n: 0, v: '0.0' }), bar(2)]);
    expect(candles).toHaveLength(2);
    const own = { provider: 'venue_a_perp', coin: 'BTC', source: 'official_api', intervalMs: MINUTE };
    expect(candles[0]).toEqual({
      ...own,
      openTime: FIRST,
      receivedAt: FIRST + 10 * MINUTE,
      open: '10.5',
      high: '12',
      low: '9.5',
      close: '11',
      volume: '3.25',
      trades: 4,
      openTs: null,
      openArrival: null,
      closeTs: null,
      closeArrival: null,
    });
    expect(record).toEqual({
      ...own,
      id: `response ${FIRST + 10 * MINUTE} ${FIRST}`,
      kind: 'complete',
      from: FIRST,
      until: FIRST + 5 * MINUTE,
      receivedAt: FIRST + 10 * MINUTE,
    });
  });

  it.each([
    ['the whole buckets within the request', { from: 1, until: 3 * MINUTE }, [MINUTE, 3 * MINUTE]],
    ['no bucket that was in progress', { until: 99 * MINUTE, at: 4 * MINUTE + 1 }, [0, 4 * MINUTE]],
    ['none if no bucket was complete', { until: MINUTE - 2 }, undefined],
    [
      'nothing older than the newest 5,000',
      { from: -9_000 * MINUTE, at: 10 * MINUTE + 5 },
      [-4_989 * MINUTE, 5 * MINUTE],
    ],
  ])('are complete in %s', (_, request, range) => {
    expect(answered([bar(0)], request).range).toEqual(range);
  });

  it('are complete from the oldest one of a full answer', () => {
    const bars = Array.from({ length: 5_000 }, (_, nth) => bar(nth - 4_900));
    expect(answered(bars, { from: -9_000 * MINUTE, until: 99 * MINUTE - 1, at: 99 * MINUTE }).range).toEqual([
      -4_900 * MINUTE,
      99 * MINUTE,
    ]);
  });

  it('have one range, which grows, however often they are requested', () => {
    const venue = driveVenueA();
    const answer = (from: number, until: number, at: number) => {
      const req = {
        coin: 'BTC',
        interval: '1m',
        startTime: FIRST + from * MINUTE,
        endTime: FIRST + until * MINUTE - 1,
      };
      venue.answer({ type: 'candleSnapshot', req }, [bar(from)], FIRST + at * MINUTE - START);
    };
    const emitted = () =>
      venue.stage.emittedTo(venueCandleRangeTopics.venue_a).map(({ id, kind, from, until }) => {
        const [, at, first] = id.split(' ').map((text) => (Number(text) - FIRST) / MINUTE);
        return `${at}/${first} ${kind} ${(from - FIRST) / MINUTE} ${(until! - FIRST) / MINUTE}`;
      });
    answer(0, 2, 10);
    answer(2, 4, 11);
    venue.stage.restart();
    answer(3, 8, 12);
    answer(1, 7, 13);
    expect(emitted()).toEqual(['10/0 complete 0 2', '10/0 complete 0 4', '10/0 complete 0 8']);
    answer(9, 11, 14);
    // It joins both.
    answer(6, 10, 15);
    expect(emitted().slice(3)).toEqual(['14/9 complete 9 11', '10/0 complete 0 11', '14/9 none 9 11']);
    // Another month.
    venue.clock(FIRST + 60 * 86_400_000 - START, { day: true });
    expect(venue.stage.state.barRanges.size).toBe(0);
    answer(86_400, 86_401, 86_402);
    expect(emitted().at(-1)).toBe('86402/86400 complete 86400 86401');
  });

  it.each([
    ['1m', MINUTE],
    ['5m', 5 * MINUTE],
  ])('of %s that were in progress when they were requested do not replace closed ones', (interval, lengthMs) => {
    const venue = driveVenueA();
    const first = Math.floor(FIRST / lengthMs) * lengthMs;
    /** Answers the request for the buckets 0 to `last` at a time after the first bucket. */
    const answer = (last: number, endTime: number, at: number, trades: number) => {
      const req = { coin: 'BTC', interval, startTime: first, endTime: first + endTime };
      const bars = Array.from({ length: last + 1 }, (_, nth) => bar(0, { t: first + nth * lengthMs, n: trades }));
      venue.answer({ type: 'candleSnapshot', req }, bars, first + at - START);
    };
    const emitted = () =>
      venue.stage
        .emittedTo(venueCandleTopics.venue_a)
        .map(({ openTime, trades }) => [(openTime - first) / lengthMs, trades]);
    // The bar 1 is in progress, and is updated as long as no response states the closed one.
    answer(1, lengthMs, 2 * lengthMs - 5_000, 1);
    answer(1, lengthMs, 2 * lengthMs + 100, 2);
    expect(emitted()).toEqual([
      [0, 1],
      [1, 1],
      [0, 2],
      [1, 2],
    ]);
    // Closed, with the bar 2 in progress.
    answer(2, 2 * lengthMs, 2 * lengthMs + 900, 3);
    expect(emitted().slice(4)).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ]);
    venue.stage.restart();
    // A response to a request from before the close of the bar 1.
    answer(1, lengthMs, 2 * lengthMs + 3_000, 4);
    expect(emitted().slice(7)).toEqual([[0, 4]]);
    expect(venue.stage.state.barRanges.size).toBe(1);
    expect(venue.stage.state.barRanges.get(`BTC ${lengthMs}`)!.ranges).toHaveLength(1);
  });

  it('belong to the provider of their coin', () => {
    expect(answered([bar(0)], { coin: '#70' }).candles[0]).toMatchObject({ provider: 'venue_a_outcome', coin: '#70' });
  });

  it('of a length that is not served are ignored', () => {
    const { candles, range, deadLetters } = answered([bar(0)], { interval: '3m' });
    expect([candles, range, deadLetters]).toEqual([[], undefined, []]);
  });

  it.each([
    ['a price that is none', bar(1, { o: 'x' }), 'answer[1].o'],
    ['a time within a bucket', bar(1, { t: FIRST + 1 }), 'answer[1].t'],
    ['a bar that is none', 7, 'answer[1]'],
  ])('with %s are a dead letter, and none is emitted', (_, bad, field) => {
    const { candles, range, deadLetters } = answered([bar(0), bad]);
    expect([candles, range]).toEqual([[], undefined]);
    expect(deadLetters).toMatchObject([{ reason: 'malformed_answer', detail: expect.stringContaining(field) }]);
  });

  const recorded = join(
    process.env.PARALLAX_SHARED ?? '../shared',
    'data/venue_a/info.candleSnapshot.kPEPE-1h-24.json',
  );
  it.skipIf(!existsSync(recorded))(`are read from ${recorded} (skipped where it is absent)`, () => {
    const { request, response: bars } = JSON.parse(readFileSync(recorded, 'utf8')) as {
      request: { req: { startTime: number; endTime: number } };
      response: { t: number; T: number; v: string; n: number }[];
    };
    const venue = driveVenueA();
    venue.answer(request, bars, bars.at(-1)!.T + 1 - START);
    const candles = venue.stage.emittedTo(venueCandleTopics.venue_a);
    expect(venue.stage.deadLetters).toEqual([]);
    expect(candles.map(({ openTime, volume, trades }) => [openTime, Number(volume), trades])).toEqual(
      bars.map(({ t, v, n }) => [t, Number(v), n]),
    );
    // Its bounds are within the first and the last bar.
    expect(venue.stage.emittedTo(venueCandleRangeTopics.venue_a)).toMatchObject([
      { from: bars[1]!.t, until: bars.at(-1)!.t },
    ]);
  });
});

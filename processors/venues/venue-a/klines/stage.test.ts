import { describe, expect, it } from 'vitest';
import { externalCandleRangeTopic, externalCandleTopic } from '#schemas/topics/candles';
import { rawTopic } from '#schemas/topics/raw';
import { klineRequest } from '#schemas/venues/venue-a/klines';
import { driveStage } from '../../../testing/drive-stage.fixture.ts';
import { createKlinesStage } from './stage.ts';

const RAW = rawTopic('venue_a', 'klines');
const MINUTE = 60_000;
const FIRST = 28_333_333 * MINUTE;
const at = (minute: number) => FIRST + minute * MINUTE;

const row = (minute: number, volume = '2.50') => [
  at(minute),
  '10.10',
  '12.00',
  '9.5',
  '11.0',
  volume,
  at(minute + 1) - 1,
  '27.5',
  7,
  '1.0',
  '11.0',
  '0',
];

function drive() {
  const stage = driveStage(createKlinesStage());
  let receivedAt = at(1_000);
  const answer = (request: string | null, body: unknown) => {
    receivedAt += 1;
    const payload = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    stage.feed(RAW, {
      provider: 'venue_a',
      stream: 'klines',
      key: 'venue_a.klines',
      receivedAt,
      request,
      requestedAt: null,
      payload,
    });
  };
  return {
    stage,
    answer,
    /** Answers a request for some minutes with a row for each of them. */
    load: (from: number, until: number) =>
      answer(
        klineRequest('BTC', '1m', { from: at(from), until: at(until) }),
        Array.from({ length: until - from }, (_, nth) => row(from + nth)),
      ),
    minutes: () => stage.emittedTo(externalCandleTopic).map(({ openTime }) => (openTime - FIRST) / MINUTE),
    ranges: () =>
      stage
        .emittedTo(externalCandleRangeTopic)
        .map(({ id, kind, from, until }) => [id, kind, (from - FIRST) / MINUTE, (until! - FIRST) / MINUTE]),
  };
}

describe('the klines stage', () => {
  it('emits a bar for each closed row with volume, and the range in which they are complete', () => {
    const { stage, answer } = drive();
    answer(klineRequest('BTC', '1m', { from: at(0), until: at(5) }), [row(0), row(1, '0'), row(4)]);
    const own = { provider: 'venue_a_perp', coin: 'BTC', source: 'external_exchange', intervalMs: MINUTE };
    const receivedAt = at(1_000) + 1;
    const places = { openTs: null, openArrival: null, closeTs: null, closeArrival: null };
    const figures = { open: '10.1', high: '12', low: '9.5', close: '11', volume: '2.5', trades: 7 };
    expect(stage.emittedTo(externalCandleTopic)).toEqual(
      [0, 4].map((minute) => ({ ...own, openTime: at(minute), receivedAt, ...figures, ...places })),
    );
    expect(stage.emittedTo(externalCandleRangeTopic)).toEqual([
      { ...own, id: 'loaded 0', kind: 'complete', from: at(0), until: at(5), receivedAt },
    ]);
  });

  it('extends one range while older klines arrive, also after a restart', () => {
    const { stage, load, ranges, minutes } = drive();
    load(4, 6);
    stage.restart();
    load(2, 4);
    load(0, 2);
    expect(minutes()).toEqual([4, 5, 2, 3, 0, 1]);
    expect(ranges()).toEqual([
      ['loaded 0', 'complete', 4, 6],
      ['loaded 0', 'complete', 2, 6],
      ['loaded 0', 'complete', 0, 6],
    ]);
  });

  it('joins ranges that meet, and withdraws those that became part of another one', () => {
    const { load, ranges } = drive();
    load(0, 2);
    load(4, 6);
    load(8, 9);
    load(1, 5);
    expect(ranges().slice(3)).toEqual([
      ['loaded 0', 'complete', 0, 6],
      ['loaded 1', 'none', 4, 6],
    ]);
  });

  it('emits no bar twice, and nothing for a response that adds nothing', () => {
    const { load, minutes, ranges } = drive();
    load(0, 4);
    load(1, 3);
    load(2, 6);
    expect(minutes()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(ranges()).toHaveLength(2);
  });

  it('has separate ranges for each coin and each length', () => {
    const { stage, answer, load } = drive();
    load(0, 15);
    answer(klineRequest('ETH', '1m', { from: at(0), until: at(1) }), [row(0)]);
    const quarter = FIRST - (FIRST % (15 * MINUTE)) + 15 * MINUTE;
    answer(klineRequest('BTC', '15m', { from: quarter, until: quarter + 15 * MINUTE }), [row(0).with(0, quarter)]);
    expect(
      stage.emittedTo(externalCandleRangeTopic).map(({ coin, intervalMs, id }) => [coin, intervalMs / MINUTE, id]),
    ).toEqual([
      ['BTC', 1, 'loaded 0'],
      ['ETH', 1, 'loaded 1'],
      ['BTC', 15, 'loaded 2'],
    ]);
  });

  it.each([
    ['the list of symbols', 'GET /fapi/v1/exchangeInfo'],
    ['a coin that is not known', 'GET /fapi/v1/klines?symbol=XYZUSDT&interval=1m'],
    ['a length that is not used', 'GET /fapi/v1/klines?symbol=BTCUSDT&interval=4h'],
    ['no request', null],
  ])('ignores %s', (_, request) => {
    const { stage, answer } = drive();
    answer(request, [row(0)]);
    expect([stage.outputs, stage.deadLetters]).toEqual([[], []]);
  });

  it.each([
    ['is no JSON', '[[', 'JSON'],
    ['has a row that is malformed', [row(0), row(1).with(5, 'x')], 'response[1].volume'],
  ])('makes a dead letter of a response that %s, and emits none of it', (_, body, detail) => {
    const { stage, answer, load, minutes } = drive();
    answer(klineRequest('BTC', '1m', { from: at(0), until: at(2) }), body);
    expect(stage.outputs).toEqual([]);
    expect(stage.deadLetters).toMatchObject([{ reason: 'malformed_answer', detail: expect.stringContaining(detail) }]);
    load(0, 1);
    expect(minutes()).toEqual([0]);
  });
});

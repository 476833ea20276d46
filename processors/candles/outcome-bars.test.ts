/** Bars of outcomes, from the frames of the venue through the normaliser and the stage to the source that is selected. */
import { describe, expect, it } from 'vitest';
import { selectBars, sourceBarOf } from '#schemas/domain/candles/select';
import { INTERVALS, type Interval, QUESTION_RULES } from '#schemas/domain/candles/sources';
import {
  type Candle,
  type CandleRange,
  candleRangeTopic,
  candleTopic,
  venueCandleRangeTopics,
} from '#schemas/topics/candles';
import { tradeTopics } from '#schemas/topics/normalised';
import { driveStage } from '../testing/drive-stage.fixture.ts';
import { driveVenueA, START, trade } from '../venues/venue-a/normalise/venue-a.fixture.ts';
import { createCandlesStage } from './stage.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The start of an hour, in ms after START, as all times below. */
const NOON = HOUR - (START % HOUR);

/** Drives both stages with outcome 7 listed. */
function drive() {
  const venue = driveVenueA();
  const outcome = { outcome: 7, name: 'Any', description: '', quoteToken: 'USDC' };
  venue.answer({ type: 'outcomeMeta' }, { outcomes: [outcome], questions: [] }, NOON);
  const subscribe = (coin: string, at: number) =>
    venue.frame('subscriptionResponse', { method: 'subscribe', subscription: { type: 'trades', coin } }, at);
  const receive = (coin: string, at: number, times: readonly number[]) =>
    venue.frame(
      'trades',
      times.map((time) => trade({ coin, px: '0.4', sz: '1', time: START + time, tid: time })),
      at,
    );
  const lose = (at: number) => {
    venue.frame('pong', null, at);
    venue.feedEvent('disconnected', at);
  };
  /** Returns the number of trades and the source of the bucket of a coin at a time. */
  const barOf = (coin: string, at: number, interval: Interval = '1m') => {
    const stage = driveStage(createCandlesStage());
    for (const record of venue.stage.emittedTo(tradeTopics.venue_a))
      stage.feed(tradeTopics.venue_a, record, { key: record.instrument });
    expect(stage.deadLetters).toEqual([]);
    const own = <T extends Candle | CandleRange>(records: readonly T[]) => records.filter((each) => each.coin === coin);
    const newest = <T>(records: readonly T[], key: (record: T) => string | number) => [
      ...new Map(records.map((record) => [key(record), record])).values(),
    ];
    const bars = newest(own(stage.emittedTo(candleTopic)), ({ openTime }) => openTime).map(sourceBarOf);
    const stated = [...stage.emittedTo(candleRangeTopic), ...venue.stage.emittedTo(venueCandleRangeTopics.venue_a)];
    const ranges = newest(own(stated), ({ id }) => id);
    const stepMs = INTERVALS[interval];
    const { select } = selectBars({ rules: QUESTION_RULES, bars, ranges, stepMs, now: Number.POSITIVE_INFINITY });
    const { bar, source } = select(Math.floor((START + at) / stepMs) * stepMs);
    return [bar?.trades ?? 0, source];
  };
  return { venue, subscribe, receive, lose, barOf };
}

describe('a bar of an outcome has a source', () => {
  it('since its own subscription, not since that of the other side', () => {
    const { subscribe, receive, barOf } = drive();
    subscribe('#70', NOON);
    receive('#70', NOON + SECOND, [NOON - 10 * MINUTE, NOON - SECOND]);
    // The venue replays the newest trades only.
    subscribe('#71', NOON + 5 * MINUTE);
    receive('#71', NOON + 5 * MINUTE + SECOND, [NOON + 3.5 * MINUTE, NOON + 4.2 * MINUTE]);
    expect(barOf('#70', NOON + MINUTE)).toEqual([0, 'trades']);
    expect(barOf('#71', NOON + MINUTE)).toEqual([0, null]);
    expect(barOf('#71', NOON + 3 * MINUTE)).toEqual([1, null]);
    expect(barOf('#71', NOON + 4 * MINUTE)).toEqual([1, 'trades']);
    expect(barOf('#71', NOON, '1h')).toEqual([2, null]);
  });

  it('never if the other side was never subscribed, although only the trades of that side are missing', () => {
    const { venue, subscribe, receive, barOf } = drive();
    subscribe('#70', NOON);
    receive('#70', NOON + SECOND, [NOON + SECOND]);
    venue.clock(NOON + DAY, { day: true });
    for (const at of [NOON + MINUTE, NOON + 5 * HOUR, NOON + 2 * DAY]) expect(barOf('#71', at)).toEqual([0, null]);
    expect(barOf('#70', NOON + MINUTE)).toEqual([0, 'trades']);
  });

  it('if it was subscribed and never traded', () => {
    const { venue, subscribe, barOf } = drive();
    subscribe('#71', NOON);
    venue.frame('pong', null, NOON + MINUTE);
    venue.clock(NOON + MINUTE);
    venue.clock(NOON + DAY, { day: true });
    expect(barOf('#71', NOON)).toEqual([0, null]);
    expect(barOf('#71', NOON + MINUTE)).toEqual([0, 'trades']);
    expect(barOf('#71', NOON + 2 * DAY, '1d')).toEqual([0, 'trades']);
  });

  it('except where a coin that was never traded before was not subscribed', () => {
    const { venue, subscribe, receive, lose, barOf } = drive();
    subscribe('#71', NOON);
    venue.frame('pong', null, NOON + MINUTE);
    venue.clock(NOON + MINUTE);
    lose(NOON + 2 * HOUR);
    subscribe('#71', NOON + 3 * HOUR);
    receive('#71', NOON + 3 * HOUR + SECOND, [NOON + 2.5 * HOUR]);
    const source = (at: number) => barOf('#71', at)[1];
    expect([2 * HOUR - 1, 2 * HOUR, 2.4 * HOUR, 2.6 * HOUR].map((at) => source(NOON + at))).toEqual([
      'trades',
      null,
      null,
      'trades',
    ]);
  });
});

describe('an outcome that was quiet for thirty days', () => {
  it('has the trades once that the venue replays, and its old bars as they were', () => {
    const { venue, subscribe, receive, lose, barOf } = drive();
    subscribe('#71', NOON);
    const times = Array.from({ length: 20 }, (_, nth) => NOON + MINUTE + nth * SECOND);
    receive('#71', NOON + 2 * MINUTE, times.slice(0, 1));
    receive('#71', NOON + 2 * MINUTE + 1, times);
    for (let day = 1; day <= 31; day += 1) venue.clock(NOON + day * DAY, { day: true });
    const back = NOON + 31 * DAY + HOUR;
    lose(back);
    subscribe('#71', back + MINUTE);
    receive('#71', back + MINUTE + SECOND, times.slice(10));
    expect(venue.stage.emittedTo(tradeTopics.venue_a)).toHaveLength(20);
    expect(barOf('#71', NOON + MINUTE)).toEqual([20, 'trades']);
  });

  it('has a source on the day on which it is traded again', () => {
    const { venue, subscribe, receive, barOf } = drive();
    subscribe('#71', NOON);
    receive('#71', NOON + MINUTE, [NOON + SECOND]);
    for (let day = 1; day <= 31; day += 1) venue.clock(NOON + day * DAY, { day: true });
    const later = NOON + 31 * DAY + 5 * HOUR;
    // Another market is traded, so that the coins that are inactive are removed.
    receive('#90', later - HOUR, [later - HOUR]);
    receive('#71', later, [later]);
    expect(barOf('#71', later, '1d')).toEqual([1, 'trades']);
    expect(barOf('#71', later, '1h')).toEqual([1, 'trades']);
  });
});

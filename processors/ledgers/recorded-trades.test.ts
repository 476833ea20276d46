import { expect, it } from 'vitest';
import { tradeRecordingTopic } from '#schemas/topics/account-fills';
import { type CandleRange, START_RANGE_ID, venueCandleRangeTopics } from '#schemas/topics/candles';
import { type FeedEvent, feedTopics } from '#schemas/topics/raw';
import { createLedgersProbe } from './ledgers.fixture.ts';

it('trades are recorded from a minute after all are subscribed, but not in gaps and before the end of those with a loss', () => {
  const { driver } = createLedgersProbe();
  const sent = () => driver.emittedTo(tradeRecordingTopic).map(({ since }) => since);
  const gap = (kind: CandleRange['kind'], until: number | null, receivedAt: number, id = 'gap 1') =>
    driver.feed(venueCandleRangeTopics.venue_a, {
      ...{ provider: 'venue_a_perp', coin: 'BTC', source: 'recorded', intervalMs: 60_000 },
      ...{ id, kind, from: 1, until, receivedAt },
    } as CandleRange);
  const leftOut = (coins: string[], receivedAt: number) =>
    driver.feed(feedTopics.venue_a, {
      ...{ provider: 'venue_a', feed: 'venue_a.ws', reason: null, kind: 'trades_left_out', coins, receivedAt },
    } as FeedEvent);
  gap('gap', null, 1);
  gap('gap', 5, 6);
  expect(sent()).toEqual([null]);
  leftOut([], 1_000);
  expect(sent().at(-1)).toBe(61_000);
  gap('gap', null, 70_000);
  expect(sent().at(-1)).toBeNull();
  gap('none', 70_000, 71_000);
  expect(sent().at(-1)).toBe(61_000);
  // What precedes the recording of an outcome is no gap in it.
  gap('gap', null, 72_000, START_RANGE_ID);
  gap('gap', 73_000, 73_000, START_RANGE_ID);
  expect(sent().at(-1)).toBe(61_000);
  gap('gap', null, 80_000);
  gap('gap', 80_001, 81_000);
  expect(sent().at(-1)).toBe(81_000);
  leftOut(['X'], 90_000);
  expect(sent().at(-1)).toBeNull();
  gap('complete' as CandleRange['kind'], 5, 91_000);
  expect(sent()).toHaveLength(7);
});

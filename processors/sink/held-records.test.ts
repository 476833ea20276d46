import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { LogRecord } from '#infra/log/log';
import { candleRangeTopic, candleTopic, venueCandleRangeTopics, venueCandleTopics } from '#schemas/topics/candles';
import { HeldRecords } from './held-records.ts';
import { Persistence } from './persistence.ts';

const BARS = venueCandleTopics.venue_a.name;
const RANGES = venueCandleRangeTopics.venue_a.name;

const recordOf = (topic: string, offset: number, receivedAt: number): LogRecord => ({
  ...{ topic, partition: 0, key: 'BTC', value: null, seq: offset + 1, appendedAt: 0 },
  offset,
  receivedAt,
});
const range = (offset: number, receivedAt: number, topic = RANGES) => recordOf(topic, offset, receivedAt);
const bar = (offset: number, receivedAt: number) => recordOf(BARS, offset, receivedAt);

/** A log with bars of these offsets, of which the group committed some. */
function setUp(bars: number) {
  const state = { bars, committed: 0, now: 0 };
  const held = new HeldRecords({
    log: {
      last: async ({ topic }) => (topic === BARS && state.bars > 0 ? bar(state.bars - 1, 0) : null),
      committed: async (_, at) => at.map(({ topic }) => (topic === BARS ? state.committed : 0)),
    },
    persistence: new Persistence({ logger: pino({ level: 'silent' }), closing: new AbortController().signal }),
    now: () => state.now,
  });
  const add = async (...records: LogRecord[]) =>
    (await held.add(records)).map(({ topic, offset }) => `${topic === BARS ? 'bar' : 'range'} ${offset}`);
  return { state, held, add };
}

describe('a range of bars', () => {
  it('waits for all bars that were in the log when it was read, and comes after them', async () => {
    const { held, add } = setUp(3);
    expect(await add(range(0, 10), bar(0, 10))).toEqual(['bar 0']);
    expect(held.isEmpty).toBe(false);
    expect(await add(bar(1, 10))).toEqual(['bar 1']);
    expect(await add(bar(2, 10))).toEqual(['bar 2', 'range 0']);
    expect(held.isEmpty).toBe(true);
  });

  it('waits for none if the tables are not declared to follow, if there are no bars, or if they were read', async () => {
    const { state, add } = setUp(0);
    expect(await add(range(0, 10))).toEqual(['range 0']);
    state.bars = 1;
    expect(await add(bar(0, 20), range(1, 20))).toEqual(['bar 0', 'range 1']);
  });

  it('does not wait for bars that were appended later', async () => {
    const { state, add } = setUp(1);
    expect(await add(range(0, 10))).toEqual([]);
    state.bars = 9;
    expect(await add(bar(0, 10))).toEqual(['bar 0', 'range 0']);
    state.bars = 1_000;
    expect(await add(range(1, 30), bar(1, 31))).toEqual(['bar 1', 'range 1']);
  });

  it('stays behind an earlier one', async () => {
    const { add } = setUp(2);
    expect(await add(range(0, 10))).toEqual([]);
    expect(await add(range(1, 5), bar(0, 6))).toEqual(['bar 0']);
    expect(await add(bar(1, 11))).toEqual(['bar 1', 'range 0', 'range 1']);
  });

  it('waits until another member of the group has stored the bars that it reads', async () => {
    const { state, add } = setUp(4);
    expect(await add(range(0, 10))).toEqual([]);
    state.committed = 3;
    expect(await add()).toEqual([]);
    state.committed = 4;
    expect(await add()).toEqual(['range 0']);
  });

  it('waits as long as its bars are being read, by this or another member', async () => {
    const { state, add } = setUp(4);
    expect(await add(range(0, 10), bar(0, 1))).toEqual(['bar 0']);
    state.now = 50_000;
    expect(await add(bar(1, 1))).toEqual(['bar 1']);
    state.now = 100_000;
    state.committed = 3;
    expect(await add()).toEqual([]);
    state.now = 159_999;
    expect(await add()).toEqual([]);
    state.now = 160_000;
    expect(await add()).toEqual(['range 0']);
  });

  it('waits for a minute without progress at most', async () => {
    const { state, add } = setUp(4);
    expect(await add(range(0, 10))).toEqual([]);
    state.now = 59_999;
    expect(await add()).toEqual([]);
    state.now = 60_000;
    expect(await add()).toEqual(['range 0']);
  });

  it('is released after a minute although earlier ones waited for the same bars', async () => {
    const { state, add } = setUp(4);
    expect(await add(range(0, 10))).toEqual([]);
    state.now = 30_000;
    expect(await add(range(1, 10))).toEqual([]);
    state.now = 60_000;
    expect(await add()).toEqual(['range 0']);
    state.now = 90_000;
    expect(await add()).toEqual(['range 1']);
  });

  it('is released if very many are held, the oldest first', async () => {
    const { add, held } = setUp(1);
    const many = (from: number) => Array.from({ length: 6_000 }, (_, nth) => range(from + nth, 10));
    expect(await add(...many(0))).toEqual([]);
    const released = await add(...many(6_000));
    expect([released.length, released[0], held.isEmpty]).toEqual([6_000, 'range 0', false]);
  });

  it('waits for the bars of every writer', async () => {
    const { add } = setUp(1);
    expect(await add(range(0, 10, candleRangeTopic.name))).toEqual([]);
    expect(await add(bar(0, 10), recordOf(candleTopic.name, 0, 10))).toHaveLength(3);
  });
});

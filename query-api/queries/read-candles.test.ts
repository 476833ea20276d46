import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { INTERVAL_NAMES, INTERVALS, type Interval } from '#schemas/domain/candles/sources';
import { type Decimal, formatDecimal, parseDecimal, ZERO } from '#schemas/domain/decimal';
import { candleBarsTable } from '#schemas/tables/candle-bars';
import { candleRangesTable } from '#schemas/tables/candle-ranges';
import { aCandle, aCandleRange } from '#schemas/testing/records.fixture';
import type { Candle as StoredCandle } from '#schemas/topics/candles';
import { CandleStore } from '../testing/candle-store.fixture.ts';
import { insertRows } from '../testing/insert-rows.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import type { Candle } from './candle-list.ts';
import type { CandleWindow } from './candle-window.ts';
import type { Reader } from './query.ts';
import { readCandles } from './read-candles.ts';

const { store, close } = await openTestStore();
afterAll(close);
beforeEach(async () => {
  await store.command('TRUNCATE TABLE candle_bars');
  await store.command('TRUNCATE TABLE candle_ranges');
  await insertRanges([aCandleRange()]);
});

const BTC = { provider: 'venue_a_perp', coin: 'BTC' };
const MINUTE_MS = 60_000;
/** 2026-03-01T00:00:00.000Z. */
const DAY_MS = Date.UTC(2026, 2, 1);

const minute = (number: number, fields: Partial<StoredCandle> = {}) =>
  aCandle({
    openTime: DAY_MS + number * MINUTE_MS,
    receivedAt: DAY_MS + number * MINUTE_MS + 1,
    open: String(100 + number),
    high: String(200 + number),
    low: String(50 - number),
    close: String(101 + number),
    ...fields,
  });

const insert = (candles: readonly StoredCandle[], seq = 1) => insertRows(store, candleBarsTable, candles, seq);
const insertRanges = (ranges: readonly ReturnType<typeof aCandleRange>[]) =>
  insertRows(store, candleRangesTable, ranges);
const read = async (window: Partial<CandleWindow>, now: number | null = null) =>
  (
    await readCandles(store, BTC, { interval: '1m', start: null, end: null, limit: 100, ...window }, now)
  ).candles.toArray();
const minutesOf = (bars: readonly Candle[]) => bars.map((bar) => (bar.ts - DAY_MS) / MINUTE_MS);
const at = (number: number) => DAY_MS + number * MINUTE_MS;

describe('readCandles', () => {
  it('returns the newest version of a minute, exactly', async () => {
    await insert([minute(0, { close: '1' })]);
    await insert([minute(0, { close: '0.000000000000000001', volume: '99999999999999999999.5' })], 2);
    expect(await read({})).toEqual([
      {
        ts: DAY_MS,
        open: '100',
        high: '200',
        low: '50',
        close: '0.000000000000000001',
        volume: '99999999999999999999.5',
        trades: 1,
        source: 'venue_node',
      },
    ]);
  });

  it('finds no range without its bars while the sink stores both: it reads ranges first, which are stored last', async () => {
    const tables = new CandleStore();
    const reader: Reader = {
      query: async (sql, parameters, name) => {
        // Of two queries that are sent together, this one would be answered later.
        if (name === 'candle-ranges') await new Promise((resolve) => setImmediate(resolve));
        const found = await tables.query<never>(sql, parameters, name);
        if (name !== 'candles') return found;
        const source = 'official_api';
        tables.addBars([minute(0, { source })]);
        tables.addRanges([aCandleRange({ source, from: at(0), until: at(1) })]);
        return found;
      },
    };
    const window = { interval: '1m', start: at(0), end: at(1), limit: 10 } as const;
    const { candles, select } = await readCandles(reader, BTC, window, null);
    expect([candles, select(at(0)).source]).toMatchObject([{ length: 0 }, null]);
    expect((await readCandles(reader, BTC, window, null)).candles).toHaveLength(1);
  });

  it('reads bars at the same time as ranges that are as they were, and once more if they are not', async () => {
    const tables = new CandleStore();
    tables.addBars([minute(0), minute(1), minute(3)]);
    tables.addRanges([aCandleRange()]);
    const steps: string[] = [];
    let onRangesRequested = () => {};
    const reader: Reader = {
      query: async (sql, parameters, name) => {
        steps.push(`${name} begun`);
        if (name === 'candle-ranges') {
          await new Promise((resolve) => setImmediate(resolve));
          onRangesRequested();
          steps.push(`${name} answered`);
        }
        return tables.query<never>(sql, parameters, name);
      },
    };
    const readMinutes = async () => {
      steps.length = 0;
      const window = { interval: '1m', start: at(0), end: at(4), limit: 3 } as const;
      return minutesOf((await readCandles(reader, BTC, window, null)).candles.toArray());
    };
    expect(await readMinutes()).toEqual([0, 1, 3]);
    expect(steps).toEqual(['candle-ranges begun', 'candle-ranges answered', 'candles begun']);
    expect(await readMinutes()).toEqual([0, 1, 3]);
    expect(steps).toEqual(['candle-ranges begun', 'candles begun', 'candle-ranges answered']);
    onRangesRequested = () => {
      tables.addBars([minute(2)]);
      tables.addRanges([aCandleRange({ from: at(-60) })]);
    };
    expect(await readMinutes()).toEqual([1, 2, 3]);
    expect(steps).toEqual(['candle-ranges begun', 'candles begun', 'candle-ranges answered', 'candles begun']);
  });

  it('aggregates five minutes with exact sums', async () => {
    await insert([minute(3), minute(1, { volume: '0.2' }), minute(4)]);
    expect(await read({ interval: '5m' })).toEqual([
      { ts: DAY_MS, open: '101', high: '204', low: '46', close: '105', volume: '0.4', trades: 3, source: 'venue_node' },
    ]);
  });

  it('serves a bucket that a gap touches without a source, or from the venue where that is complete', async () => {
    await insert([minute(0), minute(1), minute(5), minute(10)]);
    await insertRanges([aCandleRange({ id: 'gap 1', kind: 'gap', from: at(0) + 30_000, until: at(5) })]);
    const sources = async () => (await read({ interval: '5m' })).map(({ source, open }) => [source, open]);
    expect(await sources()).toEqual([
      [null, '100'],
      [null, '105'],
      ['venue_node', '110'],
    ]);
    const answered = { source: 'official_api', open: '7' };
    await insert([minute(2, { ...answered, trades: 2 }), minute(5, answered)]);
    await insertRanges([aCandleRange({ source: 'official_api', id: 'response 1', from: at(0), until: at(6) })]);
    expect(await sources()).toEqual([
      ['official_api', '7'],
      ['official_api', '7'],
      ['venue_node', '110'],
    ]);
    expect((await read({ interval: '1h' })).map(({ source, trades }) => [source, trades])).toEqual([
      ['official_api', 4],
    ]);
  });

  it("uses the venue's forming bar for 30 s if ours is not complete", async () => {
    await insertRanges([aCandleRange({ id: 'gap 1', kind: 'gap', from: at(0), until: at(2) })]);
    await insert([
      minute(2),
      minute(2, { source: 'official_api', open: '7', receivedAt: at(2) + 10_000 }),
      minute(0, { source: 'official_api', intervalMs: 3_600_000, open: '8', receivedAt: at(2) + 10_000 }),
    ]);
    const newest = async (interval: Interval, now: number) => (await read({ interval }, now)).at(-1);
    expect(await newest('1m', at(2) + 40_000)).toMatchObject({ open: '7', source: 'official_api' });
    expect(await newest('1m', at(2) + 40_001)).toMatchObject({ open: '102', source: null });
    expect(await newest('1h', at(2) + 40_000)).toMatchObject({ open: '8', source: 'official_api' });
    expect(await newest('1h', at(2) + 40_001)).toMatchObject({ open: '102', source: null });
  });

  it('returns no bar of a minute whose trades were all reverted', async () => {
    await insert([minute(0), minute(1)]);
    await insert([minute(1, { trades: 0, volume: '0' })], 2);
    expect(minutesOf(await read({}))).toEqual([0]);
  });

  it('returns no bars without trades and none of other coins', async () => {
    await insert([minute(0), minute(2), minute(1, { coin: 'ETH' })]);
    expect(minutesOf(await read({}))).toEqual([0, 2]);
    const window = { interval: '1m', start: null, end: null, limit: 9 } as const;
    expect((await readCandles(store, { ...BTC, coin: 'SOL' }, window, null)).candles).toHaveLength(0);
  });
});

describe('readCandles of a range that begins before the recorded trades', () => {
  /** The newest `limit` candles of five minutes, and how many statements of bars they took. */
  async function readFrom(minutes: readonly number[], limit: number) {
    const tables = new CandleStore();
    tables.addBars(minutes.map((number) => minute(number)));
    tables.addRanges([aCandleRange({ from: at(5), until: null })]);
    const window = { interval: '5m', start: null, end: at(30), limit } as const;
    const { candles } = await readCandles(tables, BTC, window, at(30));
    return [minutesOf(candles.toArray()), tables.queried.filter((name) => name === 'candles').length];
  }

  it('reads only the bars of the preferred source if these are enough', async () => {
    expect(await readFrom([0, 5, 10, 15, 20, 25], 5)).toEqual([[5, 10, 15, 20, 25], 1]);
  });
  it('reads the others too if a bucket of the preferred source is empty, or if its buckets are too few', async () => {
    expect(await readFrom([0, 5, 10, 20, 25], 5)).toEqual([[0, 5, 10, 20, 25], 2]);
    expect(await readFrom([0, 5, 10, 15, 20, 25], 6)).toEqual([[0, 5, 10, 15, 20, 25], 2]);
  });
});

describe('readCandles with a window', () => {
  beforeEach(() => insert([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => minute(number))));

  it('returns the newest bars without bounds', async () => {
    expect(minutesOf(await read({ limit: 3 }))).toEqual([7, 8, 9]);
  });
  it('returns the newest bars between two bounds', async () => {
    expect(minutesOf(await read({ start: at(2), end: at(5) }))).toEqual([2, 3, 4]);
    expect(minutesOf(await read({ start: at(2), end: at(5), limit: 2 }))).toEqual([3, 4]);
    expect(minutesOf(await read({ start: at(2) - 1, end: at(5) + 1 }))).toEqual([2, 3, 4, 5]);
    expect(minutesOf(await read({ start: at(2) + 1, end: at(5) - 1 }))).toEqual([3, 4]);
  });
  it('returns the first bars from a start', async () => {
    expect(minutesOf(await read({ start: at(2), limit: 3 }))).toEqual([2, 3, 4]);
    expect(minutesOf(await read({ start: at(8) }))).toEqual([8, 9]);
  });
  it('returns the newest bars that closed by an end', async () => {
    expect(minutesOf(await read({ end: at(5), limit: 2 }))).toEqual([3, 4]);
    expect(minutesOf(await read({ end: at(5) - 1, limit: 2 }))).toEqual([2, 3]);
    expect(minutesOf(await read({ end: at(5) + 1, limit: 2 }))).toEqual([3, 4]);
  });
  it('returns nothing for a window without bars', async () => {
    expect(await read({ start: at(10) })).toEqual([]);
    expect(await read({ end: DAY_MS })).toEqual([]);
    expect(await read({ start: 0, end: 1 })).toEqual([]);
    expect(await read({ start: 8.64e15 })).toEqual([]);
    expect(minutesOf(await read({ end: 8.64e15, limit: 1 }))).toEqual([9]);
  });
});

describe('readCandles with random bars and windows', () => {
  it('agrees with a direct implementation', async () => {
    const window = fc.record({
      interval: fc.constantFrom(...INTERVAL_NAMES),
      limit: fc.integer({ min: 1, max: 12 }),
      start: fc.option(fc.integer({ min: -100, max: 4_000 })),
      end: fc.option(fc.integer({ min: -100, max: 4_000 })),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 80 }),
        fc.array(window, { minLength: 1, maxLength: 6 }),
        async (minutes, windows) => {
          await store.command('TRUNCATE TABLE candle_bars');
          const candles = minutes.map((number) => minute(number));
          // Inserted three times, so that older versions are within every limit.
          for (const seq of [1, 1_000, 2_000]) await insert(candles, seq);
          for (const { interval, limit, start, end } of windows) {
            const offMinute = (number: number | null) => (number === null ? null : at(number) - 30_000);
            const request = { interval, limit, start: offMinute(start), end: offMinute(end) };
            if (request.start !== null && request.end !== null && request.start >= request.end) continue;
            expect(await read(request)).toEqual(expectedBars(candles, request));
          }
        },
      ),
      { numRuns: 15 },
    );
  }, 120_000);
});

/** The windowing rules of the specification, applied to all bars. */
function expectedBars(candles: readonly StoredCandle[], { interval, limit, start, end }: CandleWindow): Candle[] {
  const stepMs = INTERVALS[interval];
  const buckets = new Map<number, StoredCandle[]>();
  for (const candle of [...candles].sort((a, b) => a.openTime - b.openTime)) {
    const ts = Math.floor(candle.openTime / stepMs) * stepMs;
    buckets.set(ts, [...(buckets.get(ts) ?? []), candle]);
  }
  const pick = (of: readonly StoredCandle[], side: 'high' | 'low', sign: number) =>
    [...of].sort((a, b) => sign * Number(parseDecimal(b[side]) - parseDecimal(a[side])))[0]![side];
  const bars = [...buckets].map(([ts, of]) => ({
    ts,
    open: of[0]!.open,
    high: pick(of, 'high', 1),
    low: pick(of, 'low', -1),
    close: of.at(-1)!.close,
    volume: formatDecimal(of.reduce<Decimal>((sum, { volume }) => (sum + parseDecimal(volume)) as Decimal, ZERO)),
    trades: of.length,
    source: 'venue_node',
  }));
  if (start !== null && end !== null) return bars.filter(({ ts }) => ts >= start && ts < end).slice(-limit);
  if (start !== null) return bars.filter(({ ts }) => ts >= start).slice(0, limit);
  if (end !== null) return bars.filter(({ ts }) => ts + stepMs <= end).slice(-limit);
  return bars.slice(-limit);
}

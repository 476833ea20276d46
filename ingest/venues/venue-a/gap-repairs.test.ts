import { describe, expect, it } from 'vitest';
import { type CandleRange, START_RANGE_ID } from '#schemas/topics/candles';
import { GapRepairs } from './gap-repairs.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The start of an hour. */
const START = 482_000 * HOUR;

const range = (fields: Partial<CandleRange>): CandleRange => ({
  provider: 'venue_a_perp',
  coin: 'BTC',
  source: 'venue_node',
  intervalMs: MINUTE,
  id: 'gap 1',
  kind: 'gap',
  from: START,
  until: START,
  receivedAt: START,
  ...fields,
});
const gap = (from: number, until: number | null, fields: Partial<CandleRange> = {}) =>
  range({ from: START + from, until: until === null ? null : START + until, ...fields });
const response = (from: number, until: number, fields: Partial<CandleRange> = {}) =>
  range({
    source: 'official_api',
    kind: 'complete',
    id: `response ${from}`,
    from: START + from,
    until: START + until,
    ...fields,
  });

/** The requests that are due, in minutes. */
function due(ranges: readonly CandleRange[], at: number, repairs = new GapRepairs()): string[] {
  for (const one of ranges) repairs.record(one);
  return repairs
    .due(START + at)
    .map(({ coin, from, until }) => `${coin} ${(from - START) / MINUTE} ${(until - START) / MINUTE}`);
}

/** Sends the request that is due at a time, and gets an answer without bars. */
function answer(repairs: GapRepairs, at: number): void {
  const [repair] = repairs.due(START + at);
  repairs.begin(repair!);
  repairs.answered(repair!, START + at);
}

describe('the repair of a gap', () => {
  it('requests every bucket that the gap touches, once the last one is final', () => {
    const one = gap(30_000, 5 * MINUTE);
    expect(due([one], 6 * MINUTE + 2_999)).toEqual([]);
    expect(due([one], 6 * MINUTE + 3_000)).toEqual(['BTC 0 6']);
  });

  it('is not due while the gap has not ended, nor if nothing was missed', () => {
    expect(due([gap(0, null)], HOUR)).toEqual([]);
    expect(due([gap(0, null), gap(0, 0, { kind: 'none' })], HOUR)).toEqual([]);
    expect(due([gap(0, null), gap(0, MINUTE)], HOUR)).toEqual(['BTC 0 2']);
  });

  it('requests only what no response covered, and ends when all is covered', () => {
    const ranges = [gap(0, 5 * MINUTE), response(0, 2 * MINUTE)];
    expect(due(ranges, HOUR)).toEqual(['BTC 2 6']);
    expect(due([...ranges, response(2 * MINUTE, 6 * MINUTE)], HOUR)).toEqual([]);
    expect(due([...ranges, response(0, HOUR, { intervalMs: HOUR, id: 'hours' })], HOUR)).toEqual(['BTC 2 6']);
  });

  it('requests nothing that a response covered before the gap was known', () => {
    const repairs = new GapRepairs();
    expect(due([response(0, HOUR)], HOUR, repairs)).toEqual([]);
    expect(due([gap(MINUTE, MINUTE), gap(HOUR, HOUR, { id: 'gap 2' })], 2 * HOUR, repairs)).toEqual(['BTC 60 61']);
    // What the venue stores no more is forgotten.
    expect(due([], 10_000 * MINUTE, repairs)).toEqual([]);
    expect(due([gap(MINUTE, MINUTE, { id: 'gap 3' })], 2 * HOUR, repairs)).toEqual(['BTC 1 2']);
  });

  it('has one request for all gaps of a coin', () => {
    const ranges = [gap(0, 0), gap(10 * MINUTE, 11 * MINUTE, { id: 'gap 2' }), gap(MINUTE, MINUTE, { coin: '#10' })];
    expect(due(ranges, HOUR)).toEqual(['#10 1 2', 'BTC 0 12']);
  });

  it('reaches as far back as the venue stores bars, and no further', () => {
    const ranges = [gap(0, 5 * MINUTE)];
    expect(due(ranges, 5_002 * MINUTE)).toEqual(['BTC 3 6']);
    const repairs = new GapRepairs();
    expect(due(ranges, 5_005 * MINUTE, repairs)).toEqual([]);
    expect(due([], HOUR, repairs)).toEqual([]);
  });

  it('waits for the end of a gap as long as the venue stores its start, and begins when it ends after that', () => {
    const repairs = new GapRepairs();
    expect(due([gap(0, null)], 4_999 * MINUTE, repairs)).toEqual([]);
    expect(due([], 5_000 * MINUTE, repairs)).toEqual([]);
    expect(due([gap(0, 5_001 * MINUTE)], 5_003 * MINUTE, repairs)).toEqual(['BTC 4 5002']);
  });

  it('is requested again ever later, and at once when a gap is added', () => {
    const repairs = new GapRepairs();
    expect(due([gap(0, 0)], HOUR, repairs)).toHaveLength(1);
    answer(repairs, HOUR);
    expect(due([], HOUR + 29_999, repairs)).toEqual([]);
    expect(due([], HOUR + 30_000, repairs)).toHaveLength(1);
    answer(repairs, HOUR + 30_000);
    expect(due([gap(0, 0)], HOUR + 89_999, repairs)).toEqual([]);
    expect(due([gap(MINUTE, MINUTE, { id: 'gap 2' })], HOUR + 89_999, repairs)).toEqual(['BTC 0 2']);
    for (let hour = 2; hour < 22; hour += 1) answer(repairs, hour * HOUR);
    expect(due([], 22 * HOUR - 1, repairs)).toEqual([]);
    expect(due([], 22 * HOUR, repairs)).toEqual(['BTC 0 2']);
  });

  it('is requested again within seconds if it got no answer, however often', () => {
    const repairs = new GapRepairs(() => 0.5);
    due([gap(0, 0)], HOUR, repairs);
    let at = HOUR;
    const waits: number[] = [];
    for (let nth = 0; nth < 30; nth += 1) {
      const [repair] = repairs.due(START + at);
      repairs.begin(repair!);
      repairs.failed(repair!, START + at);
      const before = at;
      while (repairs.due(START + at).length === 0) at += 500;
      waits.push(at - before);
    }
    expect(waits.slice(0, 5)).toEqual([2_000, 4_000, 8_000, 16_000, 20_000]);
    expect(Math.max(...waits)).toBe(20_000);
    // The answers are counted by themselves.
    answer(repairs, at);
    expect(due([], at + 29_999, repairs)).toEqual([]);
    expect(due([], at + 30_000, repairs)).toHaveLength(1);
  });

  it('is not requested again while its request waits or runs, unless a gap is added', () => {
    const repairs = new GapRepairs();
    due([gap(0, 0)], HOUR, repairs);
    const [first] = repairs.due(START + HOUR);
    repairs.begin(first!);
    expect(due([], 2 * HOUR, repairs)).toEqual([]);
    expect(due([gap(MINUTE, MINUTE, { id: 'gap 2' })], 2 * HOUR, repairs)).toEqual(['BTC 0 2']);
    // The answer to the first request does not delay the one for both gaps.
    repairs.answered(first!, START + 2 * HOUR);
    expect(due([], 2 * HOUR, repairs)).toEqual(['BTC 0 2']);
  });

  it('is not the time before the recording of an outcome', () => {
    const start = { coin: '#10', source: 'trades', id: START_RANGE_ID, from: 0 };
    expect(due([range({ ...start, until: null }), range({ ...start, until: START })], HOUR)).toEqual([]);
  });

  it('comes first if it is one of an outcome, whose bars the venue has only until it expires', () => {
    const ranges = [gap(0, 0), gap(0, 9 * MINUTE, { coin: '#10' }), gap(0, MINUTE, { coin: 'ETH' })];
    const repairs = new GapRepairs();
    expect(due(ranges, HOUR, repairs)).toEqual(['#10 0 10', 'BTC 0 1', 'ETH 0 2']);
    // After an answer without its buckets it is last, so that it does not delay the others.
    answer(repairs, HOUR);
    expect(due([], HOUR + 30_000, repairs)).toEqual(['BTC 0 1', 'ETH 0 2', '#10 0 10']);
  });

  it('is not delayed permanently by outcomes and coins with newer gaps, nor by newer gaps of its own coin', () => {
    const repairs = new GapRepairs();
    const requested: string[] = [];
    // Each minute every coin has another gap, and there is weight for two requests.
    for (let minute = 0; minute < 20; minute += 1) {
      for (const coin of ['BTC', 'ETH', 'SOL', '#10', '#20'])
        repairs.record(gap(minute * MINUTE, minute * MINUTE, { coin, id: `gap ${minute}` }));
      const now = START + (minute + 1.5) * MINUTE;
      for (const repair of repairs.due(now).slice(0, 2)) {
        const { coin, from, until } = repair;
        repairs.begin(repair);
        repairs.record(response(from - START, until - START, { coin }));
        repairs.answered(repair, now);
        requested.push(`${minute} ${coin}`);
      }
    }
    expect(requested.slice(0, 30).filter((text) => !text.includes('#'))).toEqual([]);
    expect(requested.slice(30, 33)).toEqual(['15 BTC', '15 ETH', '16 SOL']);
  });

  it('comes before one that was requested already', () => {
    const repairs = new GapRepairs();
    due([gap(0, 0)], HOUR, repairs);
    answer(repairs, HOUR);
    expect(due([gap(0, 9 * MINUTE, { coin: 'ETH' })], 2 * HOUR, repairs)).toEqual(['ETH 0 10', 'BTC 0 1']);
  });
});

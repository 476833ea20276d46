/** Repairs of a storm of gaps within the venue's weight (`docs/figures.md`, Candles, Repairs of gaps), on a clock of the test. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type CandleRange, venueCandleRangeTopics } from '#schemas/topics/candles';
import { Budget } from '../../feed/budget.ts';
import { MemoryLog } from '../../testing/memory-log.fixture.ts';
import { memoryCodec, silentLogger } from '../../testing/open-publisher.fixture.ts';
import { limitsOf, METADATA_INTERVAL_MS, METADATA_WEIGHT, MINUTE_MS, REST_PRIORITIES } from './declaration.ts';
import { startGapRepairs } from './repair-gaps.ts';

const TOPIC = venueCandleRangeTopics.venue_a;
const GAPS = 112;
const ANSWER_MS = 200;
/** The start of a minute. */
const START = 482_000 * 60 * MINUTE_MS;

beforeEach(() => void vi.useFakeTimers({ now: START + 2 * MINUTE_MS }));
afterEach(() => void vi.useRealTimers());

/** Waits on the clock of the test, until the signal aborts. */
const wait = (ms: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve(!signal.aborted);
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });

/** The weight of the venue, and how to spend it as requests do. */
function openWeight() {
  const budget = new Budget(limitsOf(MINUTE_MS).weight);
  /** Resolves with how long the request waited for weight, when it is answered. */
  const send = async (priority: number, weight: number, payer?: string): Promise<number> => {
    const began = Date.now();
    const reservation = await budget.reserve(weight, { priority, ...(payer ? { payers: new Set([payer]) } : {}) });
    const waited = Date.now() - began;
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    reservation.settle();
    return waited;
  };
  return { budget, send };
}

/** The topic of ranges, with a gap of each coin. */
async function openRanges() {
  const [log, codec] = [new MemoryLog({ pollMs: 250 }), memoryCodec()];
  await codec.prepare([TOPIC]);
  let seq = 0;
  const append = (range: Pick<CandleRange, 'coin' | 'source' | 'id' | 'kind' | 'from' | 'until'>): Promise<void> => {
    const receivedAt = Date.now();
    const value = codec.encode(TOPIC, { ...range, provider: 'venue_a_perp', intervalMs: MINUTE_MS, receivedAt });
    seq += 1;
    return log.append([{ topic: TOPIC.name, partition: 0, key: range.coin, value, receivedAt, seq }]);
  };
  const gap = { source: 'venue_node', id: 'gap', kind: 'gap', from: START + 50_000, until: START + 70_000 } as const;
  for (let nth = 0; nth < GAPS; nth += 1) void append({ ...gap, coin: `C${nth}` });
  return { context: { log, codec, logger: silentLogger }, append };
}

it('112 gaps are repaired within five minutes beside three settlements, and delay neither lists nor reads that come at once, and a settlement by a minute at most', async () => {
  const { budget, send } = openWeight();
  const { context, append } = await openRanges();
  const repaired: number[] = [];
  const waits = { lists: 0, reads: 0, settlements: [] as number[] };
  const lists = async (): Promise<void> => {
    for (let nth = 0; nth < 5; nth += 1)
      waits.lists = Math.max(waits.lists, await send(REST_PRIORITIES.listings, METADATA_WEIGHT));
    setTimeout(() => void lists(), METADATA_INTERVAL_MS);
  };
  void lists();
  const starting = startGapRepairs({
    context,
    send: async (request, _signal, weight) => {
      const { coin, startTime, endTime } = JSON.parse(request).req;
      await send(REST_PRIORITIES.repairs, weight);
      repaired.push(Date.now());
      const answer = { source: 'official_api', id: 'answer', kind: 'complete' } as const;
      await append({ ...answer, coin, from: startTime, until: endTime + 1 });
    },
    wait,
  });
  await vi.advanceTimersByTimeAsync(1_000);
  const repairs = await starting;
  const began = Date.now();
  await vi.advanceTimersByTimeAsync(90_000);
  expect(repaired.length).toBe(2 * 28);
  // What is not lent, but for the part of those that read little.
  for (let nth = 0; nth < 9; nth += 1)
    void send(REST_PRIORITIES.reads, 20, 'rush').then((wait) => {
      waits.reads = Math.max(waits.reads, wait);
    });
  void send(REST_PRIORITIES.reads, 100, 'another').then((wait) => {
    waits.reads = Math.max(waits.reads, wait);
  });
  // One after the other, as they are requested.
  const settle = async () => {
    for (let nth = 0; nth < 3; nth += 1)
      waits.settlements.push(await send(REST_PRIORITIES.settlements, METADATA_WEIGHT));
  };
  void settle();
  await vi.advanceTimersByTimeAsync(8 * MINUTE_MS);
  expect(repaired).toHaveLength(GAPS);
  // 112 repairs of 21 and three settlements of 20, at 600 a minute, but for that in which clients read.
  expect(Math.max(...repaired) - began).toBeLessThan(5 * MINUTE_MS);
  expect([waits.lists, waits.reads, waits.settlements.length]).toEqual([0, 0, 3]);
  // What becomes free while all repairs of the moment wait for their answers is for settlements.
  expect(Math.max(...waits.settlements)).toBeLessThanOrEqual(MINUTE_MS);
  expect(budget.used).toBeLessThanOrEqual(1_200);
  const closing = repairs.close();
  await vi.advanceTimersByTimeAsync(1_000);
  await closing;
});

/** What a storm of gaps costs within the venue's weight (`docs/figures.md`, Candles, Repairs of gaps), on a clock of the test. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CandleRange } from '#schemas/topics/candles';
import { snapshotRequest } from '#schemas/venues/venue-a/candle-snapshot';
import { Budget } from '../../feed/budget.ts';
import { limitsOf, METADATA_INTERVAL_MS, METADATA_WEIGHT, MINUTE_MS, REST_PRIORITIES } from './declaration.ts';
import { GapRepairs } from './gap-repairs.ts';
import { infoWeightMax } from './info-weight.ts';

const GAPS = 112;
/** Requests that `repair-gaps.ts` sends at once. */
const RUNNING = 4;
const ANSWER_MS = 200;
/** The start of a minute. */
const START = 482_000 * 60 * MINUTE_MS;

beforeEach(() => void vi.useFakeTimers({ now: START + 2 * MINUTE_MS }));
afterEach(() => void vi.useRealTimers());

/** The weight of the venue, and how to spend it as requests do. */
function openWeight() {
  const budget = new Budget(limitsOf(MINUTE_MS).weight);
  /** Resolves with how long the request waited. */
  const send = async (priority: number, weight: number, payer?: string): Promise<number> => {
    const began = Date.now();
    const reservation = await budget.reserve(weight, { priority, ...(payer ? { payers: new Set([payer]) } : {}) });
    setTimeout(() => reservation.settle(), ANSWER_MS);
    return Date.now() - began;
  };
  return { budget, send };
}

it('112 gaps are repaired within eight minutes, and delay neither lists nor a rush of reads', async () => {
  const { budget, send } = openWeight();
  const repairs = new GapRepairs();
  for (let nth = 0; nth < GAPS; nth += 1) {
    const gap: Omit<CandleRange, 'coin'> = {
      provider: 'venue_a_perp',
      source: 'venue_node',
      intervalMs: MINUTE_MS,
      id: 'gap',
      kind: 'gap',
      from: START + 50_000,
      until: START + 70_000,
      receivedAt: START + 70_000,
    };
    repairs.record({ ...gap, coin: `C${nth}` });
  }
  const repaired: number[] = [];
  const repair = async (): Promise<void> => {
    for (let [next] = repairs.due(Date.now()); next; [next] = repairs.due(Date.now())) {
      repairs.begin(next);
      const request = snapshotRequest(next.coin, '1m', next.from, next.until, Date.now());
      await send(REST_PRIORITIES.repairs, infoWeightMax(request));
      repaired.push(Date.now());
      repairs.record({
        ...{ provider: 'venue_a_perp', coin: next.coin, source: 'official_api', intervalMs: MINUTE_MS, id: 'answer' },
        ...{ kind: 'complete', from: next.from, until: next.until, receivedAt: Date.now() },
      });
      repairs.answered(next, Date.now());
    }
  };
  const waits = { lists: 0, reads: 0 };
  const lists = async (): Promise<void> => {
    for (let nth = 0; nth < 5; nth += 1)
      waits.lists = Math.max(waits.lists, await send(REST_PRIORITIES.listings, METADATA_WEIGHT));
    setTimeout(() => void lists(), METADATA_INTERVAL_MS);
  };
  void lists();
  await vi.advanceTimersByTimeAsync(5_000);
  const began = Date.now();
  for (let nth = 0; nth < RUNNING; nth += 1) void repair();
  await vi.advanceTimersByTimeAsync(90_000);
  expect(repaired.length).toBe(2 * 14);
  // Half of the weight, but for the part of those that read little.
  for (let nth = 0; nth < 24; nth += 1)
    void send(REST_PRIORITIES.reads, 20, 'rush').then((wait) => {
      waits.reads = Math.max(waits.reads, wait);
    });
  void send(REST_PRIORITIES.reads, 100, 'another').then((wait) => {
    waits.reads = Math.max(waits.reads, wait);
  });
  await vi.advanceTimersByTimeAsync(8 * MINUTE_MS);
  expect(repaired).toHaveLength(GAPS);
  expect(Math.max(...repaired) - began).toBeLessThan(8 * MINUTE_MS);
  expect(waits).toEqual({ lists: 0, reads: 0 });
  expect(budget.used).toBeLessThanOrEqual(1_200);
});

/** Tests the calculations of the benchmarks of a whole service, and runs one of them briefly. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { costOf, measureCpu } from './footprint-cpu.ts';
import { resultsOf as memoryOf } from './footprint-memory.ts';
import { resultsOf as leaderboardOf } from './leaderboard.ts';
import { channelsOf, resultsOf as sustainedOf } from './sustained.ts';
import { measureUpstreamRead } from './upstream-read.ts';

const AGES = Array.from({ length: 100 }, (_, nth) => nth + 1);

it('reports the worse p99 of stream and REST, and the sum of missed events', () => {
  const seen = { ages: AGES, missing: 4, events: 100, closed: 1 };
  expect(sustainedOf([500, 7], seen)).toMatchObject([
    { name: 'sustained-lag', value: 500, unit: 'ms' },
    { name: 'sustained-loss', value: 5, unit: 'events' },
  ]);
  expect(sustainedOf([7], seen)[0]!.value).toBe(99);
});

it('throws if a side received nothing', () => {
  expect(() => sustainedOf([7], { ages: [], missing: 0, events: 0, closed: 0 })).toThrow('no event');
  expect(() => sustainedOf([], { ages: AGES, missing: 0, events: 1, closed: 0 })).toThrow(RangeError);
});

it('assigns one provider and the channels of two events to every subscriber, and no channel twice', () => {
  const channels = channelsOf(['evt_1', 'evt_2', 'evt_3'], 4);
  expect(channels.map((names) => names.length)).toEqual([7, 7, 7, 7]);
  expect(channels[1]).toContain('svc:stream:trade:evt_1');
  expect(channels[3]![0]).toBe('svc:stream:trade:venue_a_perp');
  expect(channelsOf(['evt_1'], 1)[0]).toHaveLength(4);
});

it('reports the memory at the end, and its growth per minute over the second half', () => {
  const samples = [...Array.from({ length: 30 }, () => 5_000), ...Array.from({ length: 30 }, (_, nth) => 100 + nth)];
  const [memory, growth] = memoryOf(samples);
  expect(memory).toMatchObject({ name: 'footprint-memory', value: 124.5 });
  expect(growth!.value).toBeCloseTo(60);
});

it('reports pages, turns and memory of the ingestion of a leaderboard only, from shortly before its capture', () => {
  const page = (at: number, ms: number, memoryMib: number, turnMs: number, capturedAt = 0) => {
    return { at, ms, memoryMib, turnMs, capturedAt };
  };
  const samples = [
    page(1_000, 900, 500, 90),
    page(6_999, 900, 510, 90),
    page(7_000, 20, 580, 12),
    page(12_000, 30, 550, 8, 10_000),
  ];
  expect(leaderboardOf(samples, 3_000)).toMatchObject([
    { name: 'leaderboard-page', value: 30, unit: 'ms' },
    { name: 'leaderboard-turn', value: 12, unit: 'ms' },
    { name: 'leaderboard-memory', value: 70, unit: 'MiB' },
  ]);
  expect(() => leaderboardOf(samples.slice(2), 3_000)).toThrow('before the first');
});

it('calculates processor seconds per 1,000 records, and throws without records', () => {
  expect(costOf(0.5, 250)).toBe(2);
  expect(() => costOf(1, 0)).toThrow(RangeError);
});

it('measures the processor time of a service that runs for a second', { timeout: 180_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-bench-test-'));
  try {
    const size = { name: 'cpu', rate: 100, warmUpSeconds: 0, seconds: 1, replaySeconds: 1 };
    const { value, baseline, ratio } = await measureCpu({ folder, onProgress: () => {} }, size);
    expect(Math.min(value, baseline!)).toBeGreaterThan(0);
    expect(ratio).toBeCloseTo(value / baseline!);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('measures some reads of a node through the log', { timeout: 180_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-bench-test-'));
  try {
    const results = await measureUpstreamRead({ folder, onProgress: () => {} }, { rounds: 1, readsPerRound: 5 });
    expect(results.map(({ name }) => name)).toEqual(['upstream-read-p50', 'upstream-read-p99']);
    for (const { value, baseline } of results) expect(Math.min(value + baseline!, baseline!)).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { reduceControl } from '#schemas/domain/control/reduce';
import { initialControlState } from '#schemas/domain/control/state';
import { mixedCommands } from '../../control/mixed-commands.ts';
import type { Bench } from './bench.ts';
import { measureAccountValue } from './benches/account-value.ts';
import { measureCandles } from './benches/candles.ts';
import { measureControlReduce } from './benches/control-reduce.ts';
import { measureEventCandles } from './benches/event-candles.ts';
import { measureKeyCheck } from './benches/key-check.ts';
import { measureKlines } from './benches/klines.ts';
import { measureNormalise } from './benches/normalise.ts';
import { BENCH_NAMES } from './benches.ts';
import { alternate, latencyResult, rateOf, rateResult } from './measure.ts';
import { meetsAim, tableOf } from './report.ts';
import { runBenches } from './run-benches.ts';
import { median, quantile } from './statistics.ts';
import { startEnvironment, variablesOf } from './threads/start-environment.ts';
import { tradeIdIn } from './trade-venue.ts';

const machine = { cpu: 'A processor', cores: 2, memoryGib: 8, os: 'linux x64', node: 'v20.0.0' };
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('the arithmetic', () => {
  it('calculates the median of unsorted values', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(() => median([])).toThrow(RangeError);
  });

  it('calculates quantiles by nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, nth) => 100 - nth);
    expect([0, 0.5, 0.99, 1].map((share) => quantile(values, share))).toEqual([1, 50, 99, 100]);
    expect(() => quantile([], 0.5)).toThrow(RangeError);
  });

  it('calculates a rate from units and milliseconds, and rejects zero', () => {
    expect(rateOf({ units: 500, ms: 250 })).toBe(2_000);
    expect(() => rateOf({ units: 0, ms: 1 })).toThrow(RangeError);
    expect(() => rateOf({ units: 1, ms: 0 })).toThrow(RangeError);
  });

  it('divides a rate by its baseline, and subtracts the baseline from a latency', () => {
    expect(rateResult('a', 'rows/s', { subject: 80, baseline: 100 })).toMatchObject({ value: 80, ratio: 0.8 });
    expect(rateResult('a', 'rows/s', { subject: 80, baseline: null })).toMatchObject({ baseline: null, ratio: null });
    expect(latencyResult('l', { subject: 6, baseline: 2 })).toMatchObject({ value: 4, baseline: 2, ratio: 3 });
  });

  it('meets an aim exactly at its limit', () => {
    const rate = (subject: number) => rateResult('a', 'rows/s', { subject, baseline: 100 });
    expect([50, 49].map((value) => meetsAim(rate(value), { ratioMin: 0.5 }))).toEqual([true, false]);
    const late = (subject: number) => latencyResult('l', { subject, baseline: 1 });
    expect([6, 7].map((value) => meetsAim(late(value), { valueMaxMs: 5 }))).toEqual([true, false]);
    expect(meetsAim(rate(1), null)).toBeNull();
  });
});

describe('alternating measurements', () => {
  it('run subject and baseline alternately and do not count warm-ups', async () => {
    const turns: string[] = [];
    const side = (name: string, rates: number[]) => () => {
      turns.push(name);
      return { units: rates.shift()!, ms: 1_000 };
    };
    const rates = await alternate(side('a', [1, 10, 30, 20]), side('b', [1, 40, 40, 40]), {
      rounds: 3,
      warmups: 1,
      onProgress: () => {},
    });
    expect(turns.join('')).toBe('abababab');
    expect(rates).toEqual({ subject: 20, baseline: 40 });
  });

  it('start no round beyond the budget, but measure at least one', async () => {
    let rounds = 0;
    const side = () => {
      rounds += 1;
      return { units: 1, ms: 1 };
    };
    await alternate(side, side, { rounds: 50, warmups: 0, onProgress: () => {}, budgetMs: 0 });
    expect(rounds).toBe(2);
  });
});

describe('a run', () => {
  const fake = (name: string, seen: string[]): Bench => ({
    aims: { [name]: null, [`${name}-more`]: null },
    run: async ({ folder, onProgress }) => {
      seen.push(folder);
      onProgress(0.5);
      const rates = { subject: 1, baseline: null };
      return [rateResult(name, 'rows/s', rates), rateResult(`${name}-more`, 'rows/s', rates)];
    },
  });

  it('returns every result in order, or those of the benchmark that measures the selected one', async () => {
    const seen: string[] = [];
    const benches = [fake('a', seen), fake('b', seen)];
    const names = async (only: string | null) =>
      (await runBenches({ benches, only, onProgress: () => {} })).map(({ name }) => name);
    expect(await names(null)).toEqual(['a', 'a-more', 'b', 'b-more']);
    expect(await names('b-more')).toEqual(['b', 'b-more']);
    expect(new Set(seen).size).toBe(3);
  });

  it('reports progress that never decreases and ends at 1', async () => {
    const shares: number[] = [];
    const benches = [fake('a', []), fake('b', [])];
    await runBenches({ benches, only: null, onProgress: (_, share) => void shares.push(share) });
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
  });
});

describe('the report', () => {
  it('shows the machine, and each result with its aim and whether it is met', () => {
    const results = [
      rateResult('fanout', 'deliveries/s', { subject: 70_000, baseline: 100_000 }),
      rateResult('processors', 'events/s', { subject: 900, baseline: null }),
      latencyResult('latency-p50', { subject: 3.25, baseline: 0.25 }),
    ];
    const aims = { fanout: { ratioMin: 0.8 }, 'latency-p50': { valueMaxMs: 5 } };
    const [head, , , fanout, processors, latency] = tableOf({ machine, results }, aims).split('\n');
    expect(head).toBe('A processor, 2 cores, 8 GiB, linux x64, Node v20.0.0');
    expect(fanout!.split(/\s{2,}/)).toEqual(['fanout', '70,000', 'deliveries/s', '100,000', '0.70', '≥ 0.8', 'missed']);
    expect(processors!.split(/\s{2,}/)).toEqual(['processors', '900.00', 'events/s', '–', '–', '–']);
    expect(latency!.split(/\s{2,}/)).toEqual(['latency-p50', '3.00', 'ms', '0.25', '13.00', '≤ 5 ms', 'met']);
  });

  it('has exactly the names that --only accepts', () => {
    const first = ['normalise', 'log-append', 'processors', 'store-insert', 'klines', 'rest-cached'];
    const leaderboard = ['leaderboard-page', 'leaderboard-turn', 'leaderboard-memory'];
    const candles = ['candles', 'candles-1d', 'event-candles'].flatMap((name) => [name, `${name}-memory`]);
    const money = ['ledgers', 'ledger-memory', 'ledger-late-fill', 'ledger-late-turn'];
    const profit = ['pnl', 'pnl-p99', 'pnl-explain', 'pnl-explain-p99', 'stats', 'stats-p99'];
    const control = ['control-reduce', 'control-start', 'key-check'];
    const events = ['spreads', 'spreads-cpu', 'spreads-memory', 'reconcile', 'reconcile-new-market'];
    const footprint = ['footprint-disk', 'footprint-disk-event', 'footprint-cpu-300', 'footprint-cpu-3000'];
    const memory = ['footprint-memory', 'footprint-memory-growth'];
    const load = ['sustained-lag', 'sustained-loss', 'restart'];
    const portal = ['portal-load', 'portal-page-load', 'portal-long-tasks', 'portal-heap-growth'];
    expect(BENCH_NAMES).toEqual([
      ...first,
      ...leaderboard,
      ...candles,
      'fanout',
      'latency-p50',
      'latency-p99',
      'upstream-read-p50',
      'upstream-read-p99',
      'account-value',
      ...money,
      ...profit,
      ...control,
      'webhook-deliveries',
      ...events,
      ...footprint,
      ...memory,
      ...load,
      ...portal,
    ]);
  });
});

describe('measuring the control side', () => {
  const context = () => {
    const folder = mkdtempSync(join(tmpdir(), 'parallax-bench-test-'));
    folders.push(folder);
    return { folder, onProgress: () => {} };
  };

  it('reduces a small topic and starts from a snapshot of it', async () => {
    const results = await measureControlReduce(context(), { commands: 3_000 });
    expect(results.map(({ name, unit }) => [name, unit])).toEqual([
      ['control-reduce', 'ms'],
      ['control-start', 'ms'],
    ]);
    for (const { value } of results) expect(value).toBeGreaterThan(0);
  });

  it('checks keys', async () => {
    const [result] = await measureKeyCheck({ keys: 3, checks: 2_000 });
    expect(result).toMatchObject({ name: 'key-check', unit: 'ms' });
    expect(result!.value).toBeGreaterThan(0);
  });
});

it('generates mixed commands of which nearly all are accepted', () => {
  const state = initialControlState();
  const refused = [...mixedCommands(5_000)].filter((command) => !reduceControl(state, command).ok);
  expect(refused.length).toBeLessThan(250);
  for (const rows of [
    state.organizations,
    state.keys,
    state.wallets,
    state.attributions,
    state.webhooks,
    state.sessions,
  ])
    expect(rows.size).toBeGreaterThan(10);
});

it('finds the id of a trade in any frame that contains it', () => {
  expect(tradeIdIn(Buffer.from('{"data":{"id":"venue_a_perp:BTC:1:7000000012345"}}'))).toBe(7_000_000_012_345);
  expect(tradeIdIn(Buffer.from('{"type":"pong"}'))).toBeNull();
});

it('measures normalising on a small simulated recording', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-bench-test-'));
  folders.push(folder);
  const size = { rate: 100, seconds: 1, rounds: 1, warmups: 0 };
  const [result] = await measureNormalise({ folder, onProgress: () => {} }, size);
  expect(result).toMatchObject({ name: 'normalise', unit: 'frames/s' });
  expect(result!.value).toBeGreaterThan(0);
  expect(result!.ratio).toBeCloseTo(result!.value / result!.baseline!);
});

it('measures account values', async () => {
  const [result] = await measureAccountValue({ onProgress: () => {} }, { accounts: 5, rounds: 1, warmups: 0 });
  expect(result).toMatchObject({ name: 'account-value', unit: 'acquisitions/s', ratio: expect.any(Number) });
});

it('measures klines on their way into the table', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-bench-test-'));
  folders.push(folder);
  const size = { responses: 2, rounds: 1, warmups: 0 };
  const [result] = await measureKlines({ folder, onProgress: () => {} }, size);
  expect(result).toMatchObject({ name: 'klines', unit: 'rows/s' });
  expect(result!.value).toBeGreaterThan(0);
});

describe('measuring candles', { timeout: 120_000 }, () => {
  const context = () => {
    const folder = mkdtempSync(join(tmpdir(), 'parallax-bench-test-'));
    folders.push(folder);
    return { folder, onProgress: () => {} };
  };
  const rounds = { rounds: 2, warmups: 1 };

  it('compares minutes and days of a small store with bare queries of the same rows', async () => {
    const size = { trades: 2_000, coins: 3, minutes: 400, candles: 50, days: 3, memory: null, ...rounds };
    const results = await measureCandles(context(), size);
    expect(results.map(({ name, unit }) => [name, unit])).toEqual([
      ['candles', 'ms'],
      ['candles-1d', 'ms'],
    ]);
    for (const { ratio } of results) expect(ratio).toBeGreaterThan(0);
  });

  it('compares candles of an event with a bare query of the same rows, and measures the memory of some clients', async () => {
    const size = { minutes: 600, buckets: 5, clients: 3, clientsMs: 300, firstRequests: 2, ...rounds };
    const [latency, memory] = await measureEventCandles(context(), size);
    expect(latency).toMatchObject({ name: 'event-candles', unit: 'ms' });
    expect(latency!.ratio).toBeGreaterThan(0);
    expect(memory).toMatchObject({ name: 'event-candles-memory', unit: 'MiB' });
  });
});

describe('programs of benchmarks', () => {
  it('have the variables that npm start sets', () => {
    expect(Object.keys(startEnvironment())).toEqual([
      'MALLOC_ARENA_MAX',
      'MALLOC_MMAP_THRESHOLD_',
      'MALLOC_TRIM_THRESHOLD_',
    ]);
    expect(variablesOf('A=1 B_=x=y node start C=2')).toEqual({ A: '1', B_: 'x=y' });
  });
});

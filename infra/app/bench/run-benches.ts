/** Runs benchmarks one after the other, each in a temporary folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchResult } from './bench.ts';

export interface RunBenchesOptions {
  readonly benches: readonly Bench[];
  /** A result's name: only the benchmark that measures it runs, and all its results are returned. Null for all. */
  readonly only: string | null;
  /** Called with the names of the running benchmark's results and the finished share of all work, 0 to 1. */
  readonly onProgress: (names: string, share: number) => void;
}

/** Returns the results in the order of the benchmarks. */
export async function runBenches({ benches, only, onProgress }: RunBenchesOptions): Promise<BenchResult[]> {
  const chosen = benches.filter(({ aims }) => only === null || Object.hasOwn(aims, only));
  const results: BenchResult[] = [];
  for (const [nth, bench] of chosen.entries()) {
    const names = Object.keys(bench.aims).join(', ');
    const report = (share: number) => onProgress(names, (nth + share) / chosen.length);
    report(0);
    const folder = await mkdtemp(join(tmpdir(), 'parallax-bench-'));
    try {
      results.push(...(await bench.run({ folder, onProgress: report })));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    report(1);
  }
  return results;
}

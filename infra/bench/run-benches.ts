/** Runs benchmarks one after the other, each in a folder of its own that is gone afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchResult } from './bench.ts';

export interface RunBenchesOptions {
  readonly benches: readonly Bench[];
  /** One result alone; null for all of them. */
  readonly only: string | null;
  /** Told the names under way and the share of all work that is done, 0 to 1. */
  readonly onProgress: (names: string, share: number) => void;
}

/** The results in the order of the benchmarks. */
export async function runBenches({ benches, only, onProgress }: RunBenchesOptions): Promise<BenchResult[]> {
  const chosen = benches.filter(({ aims }) => only === null || Object.hasOwn(aims, only));
  const results: BenchResult[] = [];
  for (const [nth, bench] of chosen.entries()) {
    const names = Object.keys(bench.aims).join(', ');
    const tell = (share: number) => onProgress(names, (nth + share) / chosen.length);
    tell(0);
    const folder = await mkdtemp(join(tmpdir(), 'parallax-bench-'));
    try {
      results.push(...(await bench.run({ folder, onProgress: tell })));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    tell(1);
  }
  return results.filter(({ name }) => only === null || name === only);
}

/** Runs the benchmark at a small size for twenty seconds: the stage must keep up, and its memory must stay flat. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { measureSpreads } from './spreads.ts';

const SIZE = { events: 1_000, rate: 2_000, seconds: 20 };
/** A fifth of the heap. Storing the updates of the run would need more. */
const GROWTH_MAX_MIB = 30;

it('keeps up with 2,000 book updates a second for 1,000 events over 20 s, with flat memory', {
  timeout: 180_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-bench-test-'));
  const shares: number[] = [];
  try {
    const results = await measureSpreads({ folder, onProgress: (share) => void shares.push(share) }, SIZE);
    expect(results.map(({ name, unit }) => [name, unit])).toEqual([
      ['spreads', 'events/s'],
      ['spreads-cpu', 'events/s'],
      ['spreads-memory', 'MiB'],
    ]);
    const [rate, , memory] = results;
    expect(rate!.ratio, 'sustained rate divided by the input rate').toBeGreaterThanOrEqual(1);
    expect(memory!.value).toBeLessThan(GROWTH_MAX_MIB);
    expect(shares.at(-1)).toBe(1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

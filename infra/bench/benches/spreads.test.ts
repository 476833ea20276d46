/** Twenty seconds of book updates in the small: the stage keeps up with them, and keeps no more than it had. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { measureSpreads } from './spreads.ts';

const SIZE = { events: 1_000, rate: 2_000, seconds: 20 };
/** A fifth of what it holds; without a bound the updates of the run alone would be more. */
const GROWTH_MAX_MIB = 30;

it('20 s of 2,000 book updates a second for 1,000 events: it keeps up, and its memory stays flat', {
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
    expect(rate!.ratio, 'the rate that it sustains over the rate it is fed').toBeGreaterThanOrEqual(1);
    expect(memory!.value).toBeLessThan(GROWTH_MAX_MIB);
    expect(shares.at(-1)).toBe(1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

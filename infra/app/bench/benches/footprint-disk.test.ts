import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { measureFootprint } from './footprint-disk.ts';

it('measures the disk space of a small simulated recording', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-bench-test-'));
  try {
    const results = await measureFootprint({ folder, onProgress: () => {} }, { rate: 100, seconds: 1 });
    expect(results.map(({ name, unit }) => [name, unit])).toEqual([
      ['footprint-disk', 'MiB'],
      ['footprint-disk-event', 'bytes'],
    ]);
    for (const { value, baseline, ratio } of results) {
      expect(value).toBeGreaterThan(0);
      expect(ratio).toBeCloseTo(value / baseline!);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { mixedMarkets } from '../mixed-markets.ts';
import { measureReconcile } from './reconcile.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

it('reconciles a small catalog and links new markets', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-bench-test-'));
  folders.push(folder);
  const results = await measureReconcile({ folder, onProgress: () => {} }, { markets: 2_000, newMarkets: 2 });
  expect(results.map(({ name, unit }) => [name, unit])).toEqual([
    ['reconcile', 'ms'],
    ['reconcile-new-market', 'ms'],
  ]);
  for (const { value } of results) expect(value).toBeGreaterThan(0);
});

it('generates markets of every kind, each with its own id and hardly any question twice', () => {
  const markets = [...mixedMarkets(20_000, 1)];
  expect(new Set(markets.map(({ marketId }) => marketId)).size).toBe(20_000);
  expect(markets.filter(({ provider }) => provider === 'venue_a_outcome')).toHaveLength(4_000);
  const daily = markets.filter(({ title }) => title.startsWith('Will the price') && title.includes('above'));
  expect(daily).toHaveLength(6_000);
  expect(new Set(daily.map(({ title }) => title)).size).toBe(6_000);
});

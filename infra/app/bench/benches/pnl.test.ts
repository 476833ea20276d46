import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { measurePnl } from './pnl.ts';
import { measureStats } from './stats.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const contextOf = () => {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-bench-test-'));
  folders.push(folder);
  return { folder, onProgress: () => {} };
};

it('compares rows, windows and a book of a small wallet with bare sums', async () => {
  const results = await measurePnl(contextOf(), { fills: 60, tokens: 3, rounds: 8, warmups: 0 });
  expect(results.map(({ name }) => name)).toEqual(['pnl', 'pnl-p99', 'pnl-explain', 'pnl-explain-p99']);
  for (const { name, value, ratio } of results) expect(name.endsWith('p99') ? value : ratio).toBeGreaterThan(0);
});

it('compares stats of a few wallets with bare sums', async () => {
  const results = await measureStats(contextOf(), { wallets: 2, fills: 40, rounds: 2, warmups: 0 });
  expect(results.map(({ name }) => name)).toEqual(['stats', 'stats-p99']);
  for (const { name, value, ratio } of results) expect(name.endsWith('p99') ? value : ratio).toBeGreaterThan(0);
});

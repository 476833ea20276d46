import { expect, it } from 'vitest';
import { measureLedgers } from './ledgers.ts';

it('measures the stage against its records, its state with few and many trades, and a late fill', async () => {
  const size = { accounts: 2, trades: 100, rounds: 1, warmups: 0, states: [360, 3_600] as const, bookFills: 200 };
  const [rate, memory, late, turn] = await measureLedgers({ onProgress: () => {} }, size);
  expect(rate).toMatchObject({ name: 'ledgers', unit: 'events/s' });
  expect(rate!.ratio).toBeGreaterThan(0);
  expect(memory!.name).toBe('ledger-memory');
  expect(memory!.ratio).toBeGreaterThan(0.9);
  expect(memory!.ratio).toBeLessThan(1.5);
  expect(late!.name).toBe('ledger-late-fill');
  expect(turn!.name).toBe('ledger-late-turn');
  expect(turn!.value).toBeGreaterThan(0);
  expect(turn!.value).toBeLessThanOrEqual(late!.value);
});

import { expect, it } from 'vitest';
import { parseLeaderboardRows } from '#schemas/venues/venue-a/leaderboard-export';
import { createPopulation } from '../../world/accounts.ts';
import { HOUR_MS } from '../../world/time.ts';
import { leaderboardText } from './leaderboard.ts';

const AT = Date.UTC(2026, 2, 1, 12);

interface Row {
  readonly ethAddress: string;
  readonly accountValue: string;
  readonly windowPerformances: readonly [
    string,
    { readonly pnl: string; readonly roi: string; readonly vlm: string },
  ][];
  readonly displayName: string | null;
}
const rowsOf = (text: string) => parseLeaderboardRows(text, { isFirst: true, isLast: true }) as Row[];

it('is a function of the seed and the time', () => {
  const text = leaderboardText(1, 50, AT);
  expect(leaderboardText(1, 50, AT)).toBe(text);
  expect(leaderboardText(2, 50, AT)).not.toBe(text);
  expect(leaderboardText(1, 50, AT + HOUR_MS)).not.toBe(text);
});

it('lists the same traders at any time, the accounts that trade among them', () => {
  const addresses = (atMs: number) => rowsOf(leaderboardText(1, 500, atMs)).map(({ ethAddress }) => ethAddress);
  expect(addresses(AT + HOUR_MS)).toEqual(addresses(AT));
  expect(new Set(addresses(AT)).size).toBe(500);
  expect(addresses(AT)).toContain(createPopulation(1).account(12_345));
});

it('has the form of the venue: figures as text, gains and losses in each window, few names', () => {
  const rows = rowsOf(leaderboardText(1, 500, AT));
  const decimal = /^-?\d+\.\d+$/;
  for (const { accountValue, windowPerformances } of rows) {
    expect(accountValue).toMatch(decimal);
    expect(windowPerformances.map(([window]) => window)).toEqual(['day', 'week', 'month', 'allTime']);
    for (const [, { pnl, roi, vlm }] of windowPerformances)
      for (const figure of [pnl, roi, vlm]) expect(figure).toMatch(decimal);
  }
  const gains = rows.filter(({ windowPerformances: [day] }) => !day![1].pnl.startsWith('-')).length;
  expect(gains).toBeGreaterThan(100);
  expect(gains).toBeLessThan(400);
  expect(rows.filter(({ displayName }) => displayName !== null)).toHaveLength(63);
});

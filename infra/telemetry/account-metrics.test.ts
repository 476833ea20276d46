import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createAccountMetrics, type FollowedAccount } from './account-metrics.ts';

it('followed accounts are counted by venue, and the age of their fills is that of each scrape', async () => {
  const registry = new Registry();
  const { accounts } = createAccountMetrics([registry], () => 100_000);
  expect(await registry.metrics()).not.toMatch(/^parallax_accounts_followed\{/m);
  const list: FollowedAccount[] = [
    { venue: 'venue_a', fillsThrough: 60_000 },
    { venue: 'venue_a', fillsThrough: null },
    { venue: 'venue_b', fillsThrough: null },
  ];
  accounts.read = () => list;
  await registry.metrics();
  const text = await registry.metrics();
  expect(text).toContain('parallax_accounts_followed{venue="venue_a"} 2');
  expect(text).toContain('parallax_accounts_followed{venue="venue_b"} 1');
  expect(text).toContain('parallax_account_fills_age_seconds_sum{venue="venue_a"} 40');
  expect(text).toContain('parallax_account_fills_age_seconds_count{venue="venue_a"} 1');
  list.length = 0;
  expect(await registry.metrics()).not.toContain('venue="');
});

it('how many accounts fit is stated where they are acquired', async () => {
  const registry = new Registry();
  const { accountsFit } = createAccountMetrics([registry]);
  expect(await registry.metrics()).not.toMatch(/^parallax_accounts_fit\{/m);
  accountsFit.read = () => [
    { venue: 'venue_a', clients: 'idle', accounts: 80 },
    { venue: 'venue_a', clients: 'busy', accounts: 40 },
  ];
  const text = await registry.metrics();
  expect(text).toContain('parallax_accounts_fit{venue="venue_a",clients="idle"} 80');
  expect(text).toContain('parallax_accounts_fit{venue="venue_a",clients="busy"} 40');
});

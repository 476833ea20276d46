import { expect, it } from 'vitest';
import { createTestApp } from '../testing/test-app.fixture.ts';
import { getProviders } from './get-providers.ts';

it('GET /providers returns the capabilities of each provider without a token', async () => {
  const { app, request } = await createTestApp();
  const response = await request('GET', '/providers');
  await app.close();
  expect(response.status).toBe(200);
  getProviders.response.parse(response.json());
  const { providers } = response.json() as {
    providers: { provider: string; status: string; capabilities: string[] }[];
  };
  const withCapability = (name: string) =>
    providers.filter(({ capabilities }) => capabilities.includes(name)).map(({ provider }) => provider);
  for (const name of ['markets', 'orderbook', 'trades', 'candles', 'stream.trades'])
    expect(withCapability(name)).toEqual(expect.arrayContaining(['venue_a_perp', 'venue_a_dex']));
  expect(withCapability('candles')).toEqual(expect.arrayContaining(['venue_a_outcome', 'venue_b']));
  for (const name of ['events', 'anomalies', 'settlement', 'stream.anomalies', 'stream.settlement']) {
    expect(withCapability(name)).toEqual(expect.arrayContaining(['venue_a_outcome', 'venue_b']));
    expect(withCapability(name)).not.toContain('venue_a_perp');
  }
  // Only venue_b has an oracle.
  for (const name of ['disputes', 'stream.disputes']) expect(withCapability(name)).toEqual(['venue_b']);
  const idle = providers.filter(({ status }) => status === 'planned');
  expect(idle.every(({ capabilities }) => capabilities.length === 0)).toBe(true);
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_QUOTAS } from '#schemas/domain/quota/plan-quotas';
import { UsageCounts } from '#schemas/domain/quota/usage-counts';
import { createTestApp, type TestApp } from '../../../testing/test-app.fixture.ts';
import { getQuotas } from './get-quotas.ts';

let test: TestApp;
let counts: UsageCounts;
const quotas = {
  ...DEFAULT_QUOTAS,
  enterprise: { ...DEFAULT_QUOTAS.enterprise, 'pnl.read': { minute: null, day: 5 } },
};
beforeEach(async () => {
  counts = new UsageCounts('test');
  test = await createTestApp({ app: { usage: counts, quotas } });
});
afterEach(() => test.app.close());

interface Row {
  readonly sku: string;
  readonly window: string;
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly resetAt: string;
}
async function read(): Promise<{ plan: string; quotas: Row[] }> {
  const response = await test.get('/v1/me/quotas');
  expect(response.status, response.body).toBe(200);
  return getQuotas.response.parse(response.json()) as never;
}

describe('GET /v1/me/quotas', () => {
  it('lists every limited window of the plan with its own request counted', async () => {
    const { plan, quotas: rows } = await read();
    expect(plan).toBe('enterprise');
    expect(rows.map(({ sku, window }) => `${sku}/${window}`)).toEqual([
      'markets.read/minute',
      'markets.read/day',
      'api.request/minute',
      'api.request/day',
      'portfolio.read/minute',
      'portfolio.read/day',
      'pnl.read/day',
    ]);
    const ofRequests = rows.filter(({ sku }) => sku === 'api.request');
    expect(ofRequests).toMatchObject([
      { limit: 12_000, used: 1, remaining: 11_999 },
      { limit: 10_000_000, used: 1, remaining: 9_999_999 },
    ]);
    expect(ofRequests[1]!.resetAt).toMatch(/T00:00:00.000Z$/);
  });

  it('counts what all nodes served, also above the limit', async () => {
    const day = Date.now() - (Date.now() % 86_400_000);
    const usage = { orgId: 'org_test', sku: 'pnl.read' as const, minute: 0, minuteUnits: 0, day, dayUnits: 4 };
    counts.apply({ node: 'one', ...usage });
    counts.apply({ node: 'other', ...usage });
    const { quotas: rows } = await read();
    expect(rows.at(-1)).toMatchObject({ sku: 'pnl.read', limit: 5, used: 8, remaining: 0 });
  });
});

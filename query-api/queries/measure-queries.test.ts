import { expect, it, vi } from 'vitest';
import { createMetrics } from '#infra/telemetry/metrics';
import { measureQueries } from './measure-queries.ts';

it('measures queries by name, failed ones included, and logs slow ones without their parameters', async () => {
  const metrics = createMetrics();
  const warn = vi.fn();
  let now = 0;
  const query = vi.fn(async (sql: string) => {
    now += sql.length;
    if (sql.startsWith('BAD')) throw new Error('refused');
    return [];
  });
  const reader = measureQueries({ query }, { metrics, logger: { warn }, now: () => now });
  await reader.query('x'.repeat(1_000), { wallet: '0xsecret' }, 'fast');
  expect(warn).not.toHaveBeenCalled();
  await reader.query('x'.repeat(1_001), { wallet: '0xsecret' }, 'slow');
  expect(warn.mock.calls).toEqual([[{ query: 'slow', ms: 1_001 }, 'slow query']]);
  await expect(reader.query('BAD', {}, 'failing')).rejects.toThrow('refused');
  const text = await metrics.registry.metrics();
  expect(text).toContain('parallax_query_seconds_sum{query="slow"} 1.001');
  expect(text).toContain('parallax_query_seconds_count{query="fast"} 1');
  expect(text).toContain('parallax_query_seconds_count{query="failing"} 1');
});

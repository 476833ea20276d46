import { expect, it } from 'vitest';
import { pathOfRead } from './newest-trade-reader.ts';
import { sumOfMetric } from './start-service.ts';

it('sums a metric over its labels, without metrics that have it as a prefix', () => {
  const text = '# TYPE a_total counter\na_total{source="x"} 3\na_total{source="y z"} 4\na_total_more 100\n';
  expect(sumOfMetric(text, 'a_total')).toBe(7);
  expect(() => sumOfMetric(text, 'b_total')).toThrow('no metric b_total');
});

it('repeats no path within 120 reads, so that no response is cached', () => {
  const paths = Array.from({ length: 121 }, (_, nth) => pathOfRead(nth));
  expect(new Set(paths).size).toBe(120);
  expect(paths[120]).toBe(paths[0]);
});

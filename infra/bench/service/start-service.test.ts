import { expect, it } from 'vitest';
import { pathOfRead } from './newest-trade-reader.ts';
import { sumOfMetric } from './start-service.ts';

it('adds a metric up over its labels, and takes no other that begins alike', () => {
  const text = '# TYPE a_total counter\na_total{source="x"} 3\na_total{source="y z"} 4\na_total_more 100\n';
  expect(sumOfMetric(text, 'a_total')).toBe(7);
  expect(() => sumOfMetric(text, 'b_total')).toThrow('no metric b_total');
});

it('repeats no read within 120, so that no answer is one that was kept', () => {
  const paths = Array.from({ length: 121 }, (_, nth) => pathOfRead(nth));
  expect(new Set(paths).size).toBe(120);
  expect(paths[120]).toBe(paths[0]);
});

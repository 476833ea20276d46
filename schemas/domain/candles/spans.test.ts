import { expect, it } from 'vitest';
import { joinNearest, missingSpans } from './missing.ts';

const span = (from: number, until: number) => ({ from, until });

it('missingSpans returns the buckets without a source, joined where they are adjacent', () => {
  const select = (bucket: number) => ({ source: [0, 20, 50].includes(bucket) ? 'x' : null, bar: undefined });
  expect(missingSpans(select, span(0, 60), 10)).toEqual([span(10, 20), span(30, 50)]);
  expect(missingSpans(select, span(30, 30), 10)).toEqual([]);
});

it('joinNearest joins the closest spans until there are few enough', () => {
  const spans = [span(0, 1), span(5, 6), span(7, 8), span(20, 21), span(24, 25)];
  expect(joinNearest(spans, 5)).toEqual(spans);
  expect(joinNearest(spans, 4)).toEqual([span(0, 1), span(5, 8), span(20, 21), span(24, 25)]);
  expect(joinNearest(spans, 2)).toEqual([span(0, 8), span(20, 25)]);
  expect(joinNearest(spans, 1)).toEqual([span(0, 25)]);
  expect(joinNearest([], 1)).toEqual([]);
});

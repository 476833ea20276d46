import { expect, it } from 'vitest';
import { joinNearest } from './spans.ts';

const span = (from: number, until: number) => ({ from, until });

it('joinNearest joins the closest spans until there are few enough', () => {
  const spans = [span(0, 1), span(5, 6), span(7, 8), span(20, 21), span(24, 25)];
  expect(joinNearest(spans, 5)).toEqual(spans);
  expect(joinNearest(spans, 4)).toEqual([span(0, 1), span(5, 8), span(20, 21), span(24, 25)]);
  expect(joinNearest(spans, 2)).toEqual([span(0, 8), span(20, 25)]);
  expect(joinNearest(spans, 1)).toEqual([span(0, 25)]);
  expect(joinNearest([], 1)).toEqual([]);
});

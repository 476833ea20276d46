import { expect, it } from 'vitest';
import { spreadHeadTopic } from '#schemas/topics/derived';
import { type Freshness, fixedFreshness, waitForBooks } from './freshness.ts';

/** Freshness whose figures are as of 100; each look at the books finds them 10 ms further, from `first` on. */
function booksFrom(first: number, asOf: number | null = 100) {
  const seen: number[] = [];
  const freshness: Freshness = {
    ...fixedFreshness({ now: asOf }),
    knowsBooksUntil: (time) => {
      seen.push(first + seen.length * 10);
      return seen.at(-1)! >= time;
    },
  };
  return { freshness, seen };
}

it.each([
  ['waits until the frames are known as far as the figures', 80, [80, 90, 100]],
  ['does not wait when they are known further', 100, [100]],
  ['gives up after four attempts', 0, [0, 10, 20, 30]],
])('waitForBooks %s', async (_what, first, expected) => {
  const { freshness, seen } = booksFrom(first);
  await waitForBooks(freshness, spreadHeadTopic);
  expect(seen).toEqual(expected);
});

it('waitForBooks does not wait while the position of the figures is unknown', async () => {
  const { freshness, seen } = booksFrom(0, null);
  await waitForBooks(freshness, spreadHeadTopic);
  expect(seen).toEqual([]);
});

import { expect, it } from 'vitest';
import { addListedIds, createdAfter, createListedIds, GAPS_MAX } from './listed-ids.ts';

it('stores the newest gaps between the ids of lists, up to a bound', () => {
  const state = createListedIds();
  for (let nth = 0; nth <= GAPS_MAX + 1; nth += 1) addListedIds(state, [2 * nth], nth);
  expect(state.gaps).toHaveLength(GAPS_MAX);
  expect([1, 3, 2 * GAPS_MAX + 1].map((id) => createdAfter(state, id))).toEqual([null, 1, GAPS_MAX]);
});

it('records no gap if the next id follows, whatever ids are missing below it', () => {
  const state = createListedIds();
  for (const [at, ids] of [[4], [], [5, 2], [3], [6]].entries()) addListedIds(state, ids, at);
  expect(state).toEqual({ highest: 6, at: 4, gaps: [] });
});

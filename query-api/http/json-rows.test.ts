import { expect, it } from 'vitest';
import { JsonRows, jsonOf } from './json-rows.ts';

const textOf = (body: unknown) => jsonOf(body).toString();

it.each([0, 1, 2, 50_000])('a body with %i rows as text has the same JSON as one with the rows', (count) => {
  const rows = Array.from({ length: count }, (_, nth) => ({ a: nth % 2 === 0 ? null : `é${nth}` }));
  const texts = JsonRows.of(rows, (row) => JSON.stringify(row));
  const others = { before: '"', absent: undefined, after: [1] };
  expect(textOf({ ...others, rows: texts })).toBe(JSON.stringify({ ...others, rows }));
  expect(textOf({ rows: texts, ...others })).toBe(JSON.stringify({ rows, ...others }));
  expect(texts).toHaveLength(count);
});

it('a body without such rows is written as JSON', () => {
  for (const body of [null, 1, 'x', [1], { a: { b: undefined } }]) expect(textOf(body)).toBe(JSON.stringify(body));
});

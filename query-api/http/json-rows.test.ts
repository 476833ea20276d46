import { expect, it } from 'vitest';
import { JsonRows, jsonOf } from './json-rows.ts';

it('a body with rows as text has the same JSON as one with the rows', () => {
  const rows = [{ a: 1 }, { a: null }];
  const texts = new JsonRows(rows.map((row) => JSON.stringify(row)));
  const others = { before: '"', absent: undefined, after: [1] };
  expect(jsonOf({ ...others, rows: texts })).toBe(JSON.stringify({ ...others, rows }));
  expect(jsonOf({ rows: new JsonRows([]) })).toBe('{"rows":[]}');
  expect(texts).toHaveLength(2);
});

it('a body without such rows is written as JSON', () => {
  for (const body of [null, 1, 'x', [1], { a: { b: undefined } }]) expect(jsonOf(body)).toBe(JSON.stringify(body));
});

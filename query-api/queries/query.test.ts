import { afterAll, expect, it } from 'vitest';
import { unixMs } from '#infra/store/unix-ms';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { type Query, query, queryBatch, type Reader } from './query.ts';

const { store, close } = await openTestStore();
afterAll(close);

/** A query for rows with values of every column type, in descending order. */
const numbersQuery = (count: number, text: string): Query<Record<string, unknown>[]> => ({
  name: 'numbers',
  sql: `SELECT number AS id, toFloat64(number) / 4 AS share, {text:String} AS label, CAST(NULL AS Nullable(String)) AS none,
      toDecimal128('12345678901234567890.000000000000000001', 18) AS exact, [exact, exact] AS list,
      ${unixMs("toDateTime64('2026-03-01 12:00:00.001', 3, 'UTC')")} AS ts, 7 > 1 AS flag
    FROM numbers({count:UInt32}) ORDER BY id DESC LIMIT {count:UInt32}`,
  parameters: { count, text },
  parse: (rows) => [...rows] as Record<string, unknown>[],
});

it('queryBatch returns for each query, with its own parameters, what query returns for it alone', async () => {
  const queries = [numbersQuery(3, 'a{count:UInt32}"\\\n'), numbersQuery(0, ''), numbersQuery(2_000, 'é')] as const;
  const alone = await Promise.all(queries.map((one) => query(store, one)));
  expect(alone.map((rows) => rows.length)).toEqual([3, 0, 2_000]);
  expect(alone[0]![0]).toMatchObject({ id: '2', share: 0.5, none: null, ts: Date.UTC(2026, 2, 1, 12) + 1 });
  expect(await queryBatch(store, queries)).toEqual(alone);
});

it('queryBatch is measured by the names of its queries, each once', async () => {
  const names: (string | undefined)[] = [];
  const reader: Reader = {
    query: async (_sql, _parameters, name) => {
      names.push(name);
      return [];
    },
  };
  await queryBatch(reader, [numbersQuery(1, ''), { ...numbersQuery(1, ''), name: 'others' }, numbersQuery(2, '')]);
  expect(names).toEqual(['numbers+others']);
});

import { afterAll, expect, it } from 'vitest';
import { unixMs } from '#infra/store/unix-ms';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { type Reading, readOne, readTogether } from './reading.ts';

const { store, close } = await openTestStore();
afterAll(close);

/** Rows with values of every type that tables have, in an order of their own. */
const reading = (count: number, text: string): Reading<Record<string, unknown>[]> => ({
  sql: `SELECT number AS id, toFloat64(number) / 4 AS share, {text:String} AS told, CAST(NULL AS Nullable(String)) AS none,
      toDecimal128('12345678901234567890.000000000000000001', 18) AS exact, [exact, exact] AS list,
      ${unixMs("toDateTime64('2026-03-01 12:00:00.001', 3, 'UTC')")} AS ts, 7 > 1 AS flag
    FROM numbers({count:UInt32}) ORDER BY id DESC LIMIT {count:UInt32}`,
  parameters: { count, text },
  from: (rows) => [...rows] as Record<string, unknown>[],
});

it('gives together what each gives alone, in its order, each with parameters of its own', async () => {
  const readings = [reading(3, 'a{count:UInt32}"\\\n'), reading(0, ''), reading(2_000, 'é')] as const;
  const alone = await Promise.all(readings.map((one) => readOne(store, one)));
  expect(alone.map((rows) => rows.length)).toEqual([3, 0, 2_000]);
  expect(alone[0]![0]).toMatchObject({ id: '2', share: 0.5, none: null, ts: Date.UTC(2026, 2, 1, 12) + 1 });
  expect(await readTogether(store, readings)).toEqual(alone);
});

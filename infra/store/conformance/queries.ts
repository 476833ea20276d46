import assert from 'node:assert/strict';
import { unixMs } from '../unix-ms.ts';
import type { StoreCheck } from './check.ts';

/** Statements that cannot run, and the code of their error. */
const BAD_STATEMENTS = [
  ['a statement that does not parse', 'SELEC 1', 'store_rejected'],
  ['a column that does not exist', 'SELECT nothing', 'store_rejected'],
  ['a table that does not exist', 'SELECT * FROM no_such_table', 'store_misconfigured'],
] as const;

export const QUERY_CHECKS: readonly StoreCheck[] = [
  {
    name: 'parameters reach the engine unchanged, whatever they contain',
    async run(subject) {
      const texts = ["'", '\\', "\\'", '\n\t\r', '\\n', '{x:String}', "'; DROP TABLE t; --", '😀', '', '\\N', 'NULL'];
      for (const text of texts)
        assert.deepEqual(await subject.values('SELECT {x:String} AS value', { x: text }), [text]);
      assert.deepEqual(await subject.values('SELECT {x:Array(String)} AS value', { x: texts }), [texts]);
    },
  },
  {
    name: 'parameters keep their type',
    async run(subject) {
      const decimal = '12345678901234567890.123456789012345678';
      const cases = [
        ['Decimal(38, 18)', decimal, decimal],
        ['UInt64', 18446744073709551615n, '18446744073709551615'],
        ['Nullable(String)', null, null],
        ['Bool', true, true],
        ['Array(UInt32)', [1, 2], [1, 2]],
      ] as const;
      for (const [type, x, expected] of cases)
        assert.deepEqual(await subject.values(`SELECT {x:${type}} AS value`, { x }), [expected]);
      const time = `SELECT ${unixMs('{x:DateTime64(3)}')} AS value`;
      assert.deepEqual(await subject.values(time, { x: '1700000000.123' }), [1_700_000_000_123]);
    },
  },
  {
    name: 'parameters stand for values, lists and limits',
    async run(subject) {
      const table = await subject.insertValues('String', ['a', 'b', 'c', 'd']);
      const found = await subject.values(
        `SELECT value FROM ${table} WHERE value IN {names:Array(String)} AND id >= {from:UInt32} ORDER BY id LIMIT {limit:UInt32}`,
        { names: ['a', 'b', 'd'], from: 1, limit: 1 },
      );
      assert.deepEqual(found, ['b']);
    },
  },
  {
    name: 'parameters are not replaced in strings and comments',
    async run(subject) {
      const found = await subject.values("SELECT '{x:String}' AS value /* {y:String} */ -- {z:String}");
      assert.deepEqual(found, ['{x:String}']);
    },
  },
  {
    name: 'parameters are refused when one is missing',
    run: ({ store }) => assert.rejects(store.query('SELECT {x:String}'), { code: 'store_rejected' }),
  },
  {
    name: 'queries run at once without mixing their answers',
    async run(subject) {
      const numbers = Array.from({ length: 40 }, (_, x) => x);
      const sql = 'SELECT toUInt32({x:UInt32} + sleepEachRow(0.001)) AS value';
      const answers = await Promise.all(numbers.map((x) => subject.values(sql, { x })));
      assert.deepEqual(
        answers,
        numbers.map((x) => [x]),
      );
    },
  },
  {
    name: 'queries return an empty list for no rows',
    async run({ store }) {
      assert.deepEqual(await store.query('SELECT 1 WHERE 0'), []);
    },
  },
  ...BAD_STATEMENTS.map(
    ([what, sql, code]): StoreCheck => ({
      name: `queries reject ${what}`,
      run: ({ store }) => assert.rejects(store.query(sql), { name: 'StoreError', code }),
    }),
  ),
];

import assert from 'node:assert/strict';
import type { StoreCheck } from './check.ts';

/** Rows that make a batch invalid. */
const BAD_ROWS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['a null where there is none', { id: 1, value: null }],
  ['a text that is no decimal', { id: 1, value: 'abc' }],
  ['a decimal with too many digits', { id: 1, value: '123456789012345678901' }],
  ['a column that does not exist', { id: 1, value: '1', other: 1 }],
  ['a row with a column less than the first', { id: 1 }],
];

export const INSERT_CHECKS: readonly StoreCheck[] = [
  {
    name: 'inserts do nothing for no rows',
    run: ({ store }) => store.insert('no_such_table', []),
  },
  {
    name: 'inserts accept a large batch completely',
    async run(subject) {
      const table = await subject.table({ value: 'String' });
      const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, value: `row ${id} ${'x'.repeat(100)}` }));
      await subject.store.insert(table, rows);
      assert.deepEqual(await subject.values(`SELECT count() AS value FROM ${table}`), ['20000']);
      const last = await subject.values(`SELECT value FROM ${table} WHERE id = 19999`);
      assert.deepEqual(last, [rows[19_999]!.value]);
    },
  },
  ...BAD_ROWS.map(
    ([what, bad]): StoreCheck => ({
      name: `inserts refuse ${what} and insert nothing of the batch`,
      async run(subject) {
        const table = await subject.table({ value: 'Decimal(38, 18)' });
        const batch = [{ id: 0, value: '1' }, bad];
        await assert.rejects(subject.store.insert(table, batch), { code: 'store_rejected', canRetry: false });
        assert.deepEqual(await subject.valuesOf(table), []);
      },
    }),
  ),
  {
    name: 'inserts into a missing table are an error of the configuration',
    run: ({ store }) => assert.rejects(store.insert('no_such_table', [{ id: 1 }]), { code: 'store_misconfigured' }),
  },
  {
    name: 'inserts refuse an invalid table name',
    run: ({ store }) => assert.rejects(store.insert('t; DROP TABLE t', [{ id: 1 }]), { code: 'store_rejected' }),
  },
  {
    name: 'inserts are seen by every query that starts after they were acknowledged',
    async run(subject) {
      const table = await subject.table({ value: 'UInt32' });
      for (let id = 0; id < 10; id += 1) {
        await subject.store.insert(table, [{ id, value: id }]);
        assert.deepEqual(await subject.values(`SELECT count() AS value FROM ${table}`), [String(id + 1)]);
      }
    },
  },
];

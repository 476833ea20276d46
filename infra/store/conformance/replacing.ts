import assert from 'node:assert/strict';
import { optimizeTable, truncateTable } from '#schemas/tables/cluster-statements';
import type { StoreCheck } from './check.ts';

export const REPLACING_CHECKS: readonly StoreCheck[] = [
  {
    name: 'rows that replace each other count once with FINAL, where the greatest version wins in any order of arrival',
    async run(subject) {
      const { store } = subject;
      const table = await subject.table({ value: 'String', version: 'UInt64' }, { replaces: true });
      await store.insert(table, [{ id: 1, value: 'newer', version: 2 }]);
      await store.insert(table, [
        { id: 1, value: 'older', version: 1 },
        { id: 2, value: 'other', version: 1 },
      ]);
      await store.insert(table, [{ id: 1, value: 'newer', version: 2 }]);
      assert.deepEqual(await subject.values(`SELECT value FROM ${table} FINAL ORDER BY id`), ['newer', 'other']);
    },
  },
  {
    name: 'rows disappear with FINAL when the newest version is a removal, and return afterwards',
    async run(subject) {
      const { store } = subject;
      const columns = { value: 'String', removed: 'UInt8', version: 'UInt64' };
      const table = await subject.table(columns, { replaces: true });
      const seen = () => subject.values(`SELECT value FROM ${table} FINAL`);
      await store.insert(table, [{ id: 1, value: 'a', removed: 0, version: 1 }]);
      await store.insert(table, [{ id: 1, value: '', removed: 1, version: 2 }]);
      assert.deepEqual(await seen(), []);
      await store.insert(table, [{ id: 1, value: 'b', removed: 0, version: 3 }]);
      assert.deepEqual(await seen(), ['b']);
    },
  },
  {
    name: 'rows that were cleared are gone, and the same rows can be inserted again',
    async run(subject) {
      const { store } = subject;
      const table = await subject.table({ value: 'String', version: 'UInt64' }, { replaces: true });
      const rows = Array.from({ length: 20 }, (_, id) => ({ id, value: 'a', version: 1 }));
      const count = () => subject.values(`SELECT count() AS value FROM ${table} FINAL`);
      await store.insert(table, rows);
      await store.command(truncateTable(table, store.cluster));
      assert.deepEqual(await count(), ['0']);
      await store.insert(table, rows);
      assert.deepEqual(await count(), ['20']);
    },
  },
  {
    name: 'rows with a retention are stamped by the engine, show the time only if selected, and are removed after it',
    async run(subject) {
      const { store } = subject;
      const table = await subject.table({ value: 'String' }, { retentionDays: 30 });
      await store.insert(table, [{ id: 1, value: 'now' }]);
      for (const days of [29, 31])
        await store.command(
          `INSERT INTO ${table} (id, value, storedAt) SETTINGS insert_allow_materialized_columns = 1
           SELECT ${days}, 'before', now() - INTERVAL ${days} DAY`,
        );
      await store.command(optimizeTable(table, store.cluster));
      assert.deepEqual(await store.query(`SELECT * FROM ${table} ORDER BY id`), [
        { id: 1, value: 'now' },
        { id: 29, value: 'before' },
      ]);
      const days = `SELECT dateDiff('day', storedAt, now()) AS value FROM ${table} ORDER BY id`;
      assert.deepEqual(await subject.values(days), ['0', '29']);
    },
  },
];

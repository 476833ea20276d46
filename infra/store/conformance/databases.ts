import assert from 'node:assert/strict';
import { dropDatabase } from '#schemas/tables/cluster-statements';
import { TABLES } from '#schemas/tables/index';
import { MIGRATIONS } from '#schemas/tables/migrations/index';
import { migrate } from '../migrate.ts';
import { createIn, type StoreCheck } from './check.ts';

export const DATABASE_CHECKS: readonly StoreCheck[] = [
  {
    name: 'tables of the service are created as declared, and the second start changes nothing',
    async run(subject) {
      const { store } = subject;
      const all = MIGRATIONS.map(({ name }) => name);
      assert.deepEqual(await migrate(store), all);
      assert.deepEqual(await migrate(store), []);
      for (const { name } of TABLES)
        assert.deepEqual(await subject.values(`SELECT count() AS value FROM ${name} FINAL`), ['0']);
    },
  },
  {
    name: 'databases keep tables of one name apart, and are dropped with theirs',
    async run(subject) {
      const { store } = subject;
      const table = await subject.insertValues('String', ['first']);
      const other = await store.inDatabase(`${store.database}_other`);
      try {
        await createIn(other, table, { value: 'String' });
        await other.insert(table, [{ id: 1, value: 'second' }]);
        assert.deepEqual(await subject.valuesOf(table), ['first']);
        assert.deepEqual(await other.query(`SELECT value FROM ${table}`), [{ value: 'second' }]);
        assert.deepEqual(await subject.values(`SELECT value FROM ${other.database}.${table}`), ['second']);
      } finally {
        await store.command(dropDatabase(other.database, store.cluster));
      }
      assert.deepEqual(await subject.valuesOf(table), ['first']);
    },
  },
  {
    name: 'databases are refused with an invalid name',
    run: ({ store }) => assert.rejects(store.inDatabase('a; DROP'), { code: 'store_rejected' }),
  },
  {
    name: 'closing leaves the data for the next opening',
    async run(subject) {
      const table = await subject.insertValues('String', ['stored']);
      await subject.end();
      await subject.begin();
      assert.deepEqual(await subject.valuesOf(table), ['stored']);
    },
  },
  {
    name: 'closing waits for running calls, refuses later ones, and can be repeated',
    async run(subject) {
      const { store } = subject;
      const running = subject.values('SELECT sleep(0.2) + 7 AS value');
      await store.close();
      assert.deepEqual(await running, [7]);
      await assert.rejects(store.query('SELECT 1'), { code: 'store_closed' });
      await store.close();
    },
  },
];

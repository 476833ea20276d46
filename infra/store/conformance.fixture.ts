/** The guarantees of a store, for both adapters. `embedded.test.ts` and `server.test.ts` run it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from './store.ts';
import { unixMs } from './unix-ms.ts';

export interface StoreHarness {
  /** Reopens the store on the same data. */
  open(): Promise<Store>;
  /** Removes everything. */
  dispose(): Promise<void>;
}

export function describeStore(name: string, start: () => Promise<StoreHarness>): void {
  describe(name, () => {
    let harness: StoreHarness;
    let store: Store;
    let tables = 0;
    beforeAll(async () => {
      harness = await start();
    });
    afterAll(() => harness.dispose());
    beforeEach(async () => {
      store = await harness.open();
    });
    afterEach(() => store.close());

    /** A new table with these columns, sorted by `id`. */
    async function table(columns: string, engine = 'MergeTree'): Promise<string> {
      tables += 1;
      const name = `t${tables}`;
      await store.command(`CREATE TABLE ${name} (id UInt32, ${columns}) ENGINE = ${engine} ORDER BY id`);
      return name;
    }
    const value = async (sql: string, parameters = {}) =>
      (await store.query<{ value: unknown }>(sql, parameters)).map((row) => row.value);
    const selectAll = (from: string) => value(`SELECT value FROM ${from} ORDER BY id`);
    async function roundTrip(type: string, values: readonly unknown[]): Promise<unknown[]> {
      const into = await table(`value ${type}`);
      await store.insert(
        into,
        values.map((entry, id) => ({ id, value: entry })),
      );
      return selectAll(into);
    }

    describe('values', () => {
      it('keep all 38 digits of a decimal, as text', async () => {
        const decimals = [
          '12345678901234567890.123456789012345678',
          '-99999999999999999999.999999999999999999',
          '0.000000000000000001',
          '0',
          '-1.5',
        ];
        expect(await roundTrip('Decimal(38, 18)', decimals)).toEqual(decimals);
      });

      it('keep 64-bit integers, as text', async () => {
        expect(await roundTrip('UInt64', ['18446744073709551615', 9007199254740991])).toEqual([
          '18446744073709551615',
          '9007199254740991',
        ]);
        expect(await roundTrip('Int64', ['-9223372036854775808'])).toEqual(['-9223372036854775808']);
      });

      it('distinguish null from zero and from the empty text', async () => {
        expect(await roundTrip('Nullable(Decimal(38, 18))', [null, '0'])).toEqual([null, '0']);
        expect(await roundTrip('Nullable(String)', [null, ''])).toEqual([null, '']);
        expect(await roundTrip('LowCardinality(Nullable(String))', ['a', null])).toEqual(['a', null]);
      });

      it('keep arrays, also empty ones and ones with nulls', async () => {
        expect(await roundTrip('Array(Nullable(Decimal(38, 18)))', [[], ['1.5', null], ['0']])).toEqual([
          [],
          ['1.5', null],
          ['0'],
        ]);
        expect(await roundTrip('Array(String)', [["it's", 'a,b', ']']])).toEqual([["it's", 'a,b', ']']]);
      });

      it('keep booleans', async () => {
        expect(await roundTrip('Bool', [true, false])).toEqual([true, false]);
      });

      it('keep every character of a text', async () => {
        const texts = [
          'größer ≥ 64,000 €',
          '日本語',
          '😀',
          'a\nb\tc\r\n',
          '\u0000',
          `\\ ' " \` ; -- {id:String} /* */`,
        ];
        expect(await roundTrip('String', texts)).toEqual(texts);
      });

      it('keep a time to the millisecond, however few digits it has', async () => {
        const times = [0, 1, 999_999_999, 1_000_000_000, 9_999_999_999, 1_700_000_000_123, 10_413_791_999_999, -1];
        const into = await table("value DateTime64(3, 'UTC')");
        await store.insert(
          into,
          times.map((entry, id) => ({ id, value: entry })),
        );
        expect(await value(`SELECT ${unixMs('value')} AS value FROM ${into} ORDER BY id`)).toEqual(times);
      });

      it('come back from nested columns as parallel arrays', async () => {
        const into = await table('legs Nested(name LowCardinality(String), price Nullable(Decimal(38, 18)))');
        await store.insert(into, [{ id: 1, 'legs.name': ['x', 'y'], 'legs.price': [null, '0.25'] }]);
        expect(await store.query(`SELECT legs.name, legs.price FROM ${into}`)).toEqual([
          { 'legs.name': ['x', 'y'], 'legs.price': [null, '0.25'] },
        ]);
      });
    });

    describe('inserts', () => {
      it('do nothing for no rows', async () => {
        await expect(store.insert('no_such_table', [])).resolves.toBeUndefined();
      });

      it('accept a large batch completely', async () => {
        const into = await table('value String');
        const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, value: `row ${id} ${'x'.repeat(100)}` }));
        await store.insert(into, rows);
        expect(await value(`SELECT count() AS value FROM ${into}`)).toEqual(['20000']);
        expect(await value(`SELECT value FROM ${into} WHERE id = 19999`)).toEqual([rows[19_999]!.value]);
      });

      it.each([
        ['a null where there is none', { id: 1, value: null }],
        ['a text that is no decimal', { id: 1, value: 'abc' }],
        ['a decimal with too many digits', { id: 1, value: '123456789012345678901' }],
        ['a column that does not exist', { id: 1, value: '1', other: 1 }],
        ['a row with a column less than the first', { id: 1 }],
      ])('refuse %s and insert nothing of the batch', async (_, bad) => {
        const into = await table('value Decimal(38, 18)');
        const good = { id: 0, value: '1' };
        await expect(store.insert(into, [good, bad])).rejects.toMatchObject({
          code: 'store_rejected',
          canRetry: false,
        });
        expect(await selectAll(into)).toEqual([]);
      });

      it('into a missing table are an error of the configuration', async () => {
        await expect(store.insert('no_such_table', [{ id: 1 }])).rejects.toMatchObject({ code: 'store_misconfigured' });
      });

      it('refuse an invalid table name', async () => {
        await expect(store.insert('t; DROP TABLE t', [{ id: 1 }])).rejects.toMatchObject({ code: 'store_rejected' });
      });
    });

    describe('replacing rows', () => {
      it('count once with FINAL, where the greatest version wins whatever the order of arrival', async () => {
        const into = await table('value String, version UInt64', 'ReplacingMergeTree(version)');
        await store.insert(into, [{ id: 1, value: 'newer', version: 2 }]);
        await store.insert(into, [
          { id: 1, value: 'older', version: 1 },
          { id: 2, value: 'other', version: 1 },
        ]);
        await store.insert(into, [{ id: 1, value: 'newer', version: 2 }]);
        expect(await value(`SELECT value FROM ${into} FINAL ORDER BY id`)).toEqual(['newer', 'other']);
      });

      it('disappear with FINAL when the newest version is a removal, and return afterwards', async () => {
        const into = await table('value String, removed UInt8, version UInt64', 'ReplacingMergeTree(version, removed)');
        await store.insert(into, [{ id: 1, value: 'a', removed: 0, version: 1 }]);
        await store.insert(into, [{ id: 1, value: '', removed: 1, version: 2 }]);
        expect(await value(`SELECT value FROM ${into} FINAL`)).toEqual([]);
        await store.insert(into, [{ id: 1, value: 'b', removed: 0, version: 3 }]);
        expect(await value(`SELECT value FROM ${into} FINAL`)).toEqual(['b']);
      });
    });

    describe('rows with a retention', () => {
      it('are stamped by the engine, show the time only if selected, and are removed after it', async () => {
        const into = await table("value String, storedAt DateTime('UTC') MATERIALIZED now()");
        await store.command(`ALTER TABLE ${into} MODIFY TTL storedAt + INTERVAL 30 DAY`);
        await store.insert(into, [{ id: 1, value: 'now' }]);
        for (const days of [29, 31])
          await store.command(
            `INSERT INTO ${into} (id, value, storedAt) SETTINGS insert_allow_materialized_columns = 1
             SELECT ${days}, 'before', now() - INTERVAL ${days} DAY`,
          );
        await store.command(`OPTIMIZE TABLE ${into} FINAL`);
        expect(await store.query(`SELECT * FROM ${into} ORDER BY id`)).toEqual([
          { id: 1, value: 'now' },
          { id: 29, value: 'before' },
        ]);
        expect(await value(`SELECT dateDiff('day', storedAt, now()) AS value FROM ${into} ORDER BY id`)).toEqual([
          '0',
          '29',
        ]);
      });
    });

    describe('parameters', () => {
      it('reach the engine unchanged, whatever they contain', async () => {
        const texts = ["'", '\\', "\\'", '\n\t\r', '\\n', '{x:String}', "'; DROP TABLE t; --", '😀', '', '\\N', 'NULL'];
        for (const text of texts) {
          expect(await value('SELECT {x:String} AS value', { x: text })).toEqual([text]);
        }
        expect(await value('SELECT {x:Array(String)} AS value', { x: texts })).toEqual([texts]);
      });

      it('keep their type', async () => {
        const decimal = '12345678901234567890.123456789012345678';
        expect(await value('SELECT {x:Decimal(38, 18)} AS value', { x: decimal })).toEqual([decimal]);
        expect(await value('SELECT {x:UInt64} AS value', { x: 18446744073709551615n })).toEqual([
          '18446744073709551615',
        ]);
        expect(await value('SELECT {x:Nullable(String)} AS value', { x: null })).toEqual([null]);
        expect(await value('SELECT {x:Bool} AS value', { x: true })).toEqual([true]);
        expect(await value('SELECT {x:Array(UInt32)} AS value', { x: [1, 2] })).toEqual([[1, 2]]);
        expect(await value(`SELECT ${unixMs('{x:DateTime64(3)}')} AS value`, { x: '1700000000.123' })).toEqual([
          1_700_000_000_123,
        ]);
      });

      it('stand for values, lists and limits', async () => {
        const into = await table('value String');
        await store.insert(
          into,
          ['a', 'b', 'c', 'd'].map((text, id) => ({ id, value: text })),
        );
        const found = await value(
          `SELECT value FROM ${into} WHERE value IN {names:Array(String)} AND id >= {from:UInt32} ORDER BY id LIMIT {limit:UInt32}`,
          { names: ['a', 'b', 'd'], from: 1, limit: 1 },
        );
        expect(found).toEqual(['b']);
      });

      it('are not replaced in strings and comments', async () => {
        expect(await value("SELECT '{x:String}' AS value /* {y:String} */ -- {z:String}")).toEqual(['{x:String}']);
      });

      it('are refused when one is missing', async () => {
        await expect(store.query('SELECT {x:String}')).rejects.toMatchObject({ code: 'store_rejected' });
      });
    });

    describe('queries', () => {
      it('run at once without mixing their answers', async () => {
        const answers = await Promise.all(
          Array.from({ length: 40 }, (_, x) =>
            value('SELECT toUInt32({x:UInt32} + sleepEachRow(0.001)) AS value', { x }),
          ),
        );
        expect(answers).toEqual(Array.from({ length: 40 }, (_, x) => [x]));
      });

      it('see every insert that was acknowledged before', async () => {
        const into = await table('value UInt32');
        for (let id = 0; id < 10; id += 1) {
          await store.insert(into, [{ id, value: id }]);
          expect(await value(`SELECT count() AS value FROM ${into}`)).toEqual([String(id + 1)]);
        }
      });

      it('return an empty list for no rows', async () => {
        expect(await store.query('SELECT 1 WHERE 0')).toEqual([]);
      });

      it.each([
        ['a statement that does not parse', 'SELEC 1', 'store_rejected'],
        ['a column that does not exist', 'SELECT nothing', 'store_rejected'],
        ['a table that does not exist', 'SELECT * FROM no_such_table', 'store_misconfigured'],
      ])('reject %s', async (_, sql, code) => {
        await expect(store.query(sql)).rejects.toMatchObject({ name: 'StoreError', code });
      });
    });

    describe('databases', () => {
      it('keep tables of one name apart', async () => {
        const into = await table('value String');
        await store.insert(into, [{ id: 1, value: 'first' }]);
        const other = await store.inDatabase('conformance_other');
        await other.command(`CREATE TABLE ${into} (id UInt32, value String) ENGINE = MergeTree ORDER BY id`);
        await other.insert(into, [{ id: 1, value: 'second' }]);
        expect(await selectAll(into)).toEqual(['first']);
        expect(await other.query(`SELECT value FROM ${into}`)).toEqual([{ value: 'second' }]);
        expect(await value(`SELECT value FROM ${other.database}.${into}`)).toEqual(['second']);
        await store.command(`DROP DATABASE ${other.database}`);
        expect(await selectAll(into)).toEqual(['first']);
      });

      it('are refused with an invalid name', async () => {
        await expect(store.inDatabase('a; DROP')).rejects.toMatchObject({ code: 'store_rejected' });
      });
    });

    describe('closing', () => {
      it('leaves the data for the next opening', async () => {
        const into = await table('value String');
        await store.insert(into, [{ id: 1, value: 'stored' }]);
        await store.close();
        store = await harness.open();
        expect(await selectAll(into)).toEqual(['stored']);
      });

      it('waits for running calls, refuses later ones, and can be repeated', async () => {
        const running = value('SELECT sleep(0.2) + 7 AS value');
        await store.close();
        expect(await running).toEqual([7]);
        await expect(store.query('SELECT 1')).rejects.toMatchObject({ code: 'store_closed' });
        await expect(store.close()).resolves.toBeUndefined();
      });
    });
  });
}

import assert from 'node:assert/strict';
import { unixMs } from '../unix-ms.ts';
import type { StoreCheck } from './check.ts';

export const VALUE_CHECKS: readonly StoreCheck[] = [
  {
    name: 'values keep all 38 digits of a decimal, as text',
    async run(subject) {
      const decimals = [
        '12345678901234567890.123456789012345678',
        '-99999999999999999999.999999999999999999',
        '0.000000000000000001',
        '0',
        '-1.5',
      ];
      assert.deepEqual(await subject.roundTrip('Decimal(38, 18)', decimals), decimals);
    },
  },
  {
    name: 'values keep 64-bit integers, as text',
    async run(subject) {
      const unsigned = await subject.roundTrip('UInt64', ['18446744073709551615', 9007199254740991]);
      assert.deepEqual(unsigned, ['18446744073709551615', '9007199254740991']);
      assert.deepEqual(await subject.roundTrip('Int64', ['-9223372036854775808']), ['-9223372036854775808']);
    },
  },
  {
    name: 'values distinguish null from zero and from the empty text',
    async run(subject) {
      assert.deepEqual(await subject.roundTrip('Nullable(Decimal(38, 18))', [null, '0']), [null, '0']);
      assert.deepEqual(await subject.roundTrip('Nullable(String)', [null, '']), [null, '']);
      assert.deepEqual(await subject.roundTrip('LowCardinality(Nullable(String))', ['a', null]), ['a', null]);
    },
  },
  {
    name: 'values keep arrays, also empty ones and ones with nulls',
    async run(subject) {
      const decimals = [[], ['1.5', null], ['0']];
      assert.deepEqual(await subject.roundTrip('Array(Nullable(Decimal(38, 18)))', decimals), decimals);
      assert.deepEqual(await subject.roundTrip('Array(String)', [["it's", 'a,b', ']']]), [["it's", 'a,b', ']']]);
    },
  },
  {
    name: 'values keep booleans',
    async run(subject) {
      assert.deepEqual(await subject.roundTrip('Bool', [true, false]), [true, false]);
    },
  },
  {
    name: 'values keep every character of a text',
    async run(subject) {
      const texts = ['größer ≥ 64,000 €', '日本語', '😀', 'a\nb\tc\r\n', '\u0000', `\\ ' " \` ; -- {id:String} /* */`];
      assert.deepEqual(await subject.roundTrip('String', texts), texts);
    },
  },
  {
    name: 'values keep a time to the millisecond, however few digits it has',
    async run(subject) {
      const times = [0, 1, 999_999_999, 1_000_000_000, 9_999_999_999, 1_700_000_000_123, 10_413_791_999_999, -1];
      const table = await subject.insertValues("DateTime64(3, 'UTC')", times);
      assert.deepEqual(await subject.values(`SELECT ${unixMs('value')} AS value FROM ${table} ORDER BY id`), times);
    },
  },
  {
    name: 'values come back from nested columns as parallel arrays',
    async run(subject) {
      const table = await subject.table({
        'legs.name': 'Array(LowCardinality(String))',
        'legs.price': 'Array(Nullable(Decimal(38, 18)))',
      });
      const legs = { 'legs.name': ['x', 'y'], 'legs.price': [null, '0.25'] };
      await subject.store.insert(table, [{ id: 1, ...legs }]);
      assert.deepEqual(await subject.store.query(`SELECT legs.name, legs.price FROM ${table}`), [legs]);
    },
  },
];

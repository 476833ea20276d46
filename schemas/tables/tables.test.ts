import { describe, expect, it } from 'vitest';
import { TOPICS } from '../topics/catalog.ts';
import { countColumn, decimalColumn, integerColumn, timeColumn } from './column-values.ts';
import { TABLES } from './index.ts';
import { sampleRecords, sampleTrade } from './sample-records.fixture.ts';
import { rowKey } from './table.ts';
import { tradesTable } from './trades.ts';

describe('tables', () => {
  it('read topics of the catalog, each for one table', () => {
    const read = TABLES.flatMap(({ fromTopics }) => fromTopics.map(({ name }) => name));
    expect(read.filter((name) => !TOPICS.some((topic) => topic.name === name))).toEqual([]);
    expect(new Set(read).size).toBe(read.length);
  });

  it('come after those about whose rows they state something', () => {
    const before: string[] = [];
    for (const { name, after = [] } of TABLES) {
      for (const other of after) expect(before, name).toContain(other);
      before.push(name);
    }
  });

  it('are sharded by first columns of their sorting key, which are never null', () => {
    for (const table of TABLES) {
      expect(table.shardBy.length, table.name).toBeGreaterThan(0);
      expect(table.orderBy.slice(0, table.shardBy.length), table.name).toEqual(table.shardBy);
      const types = table.columns.filter(({ name }) => table.shardBy.includes(name)).map(({ type }) => type);
      expect(types.filter((type) => type.startsWith('Nullable'))).toEqual([]);
    }
  });

  it('define how a tombstone is handled exactly where their topic can have one', () => {
    for (const table of TABLES) {
      const compacted = table.fromTopics.some((topic) => topic.retention.kind === 'compacted');
      expect(table.tombstone !== undefined, table.name).toBe(compacted);
    }
  });

  it.each(TABLES.map((table) => [table.name, table] as const))(
    '%s returns the same row for the same record',
    (_, table) => {
      const { value, meta } = sampleRecords[table.name]!;
      expect(table.row(structuredClone(value), meta)).toEqual(table.row(value, meta));
    },
  );

  it.each(TABLES.map((table) => [table.name, table] as const))(
    '%s has its sorting key and its version in every row',
    (_, table) => {
      const { value, meta } = sampleRecords[table.name]!;
      const row = table.row(value, meta);
      for (const column of [...table.orderBy, 'version']) expect(row[column]).toBeDefined();
      // Where several nodes write, records have no seq: the newest is the last in the log.
      expect(row.version).toBe(meta.seq === 0 ? meta.offset : meta.seq);
      if (typeof table.tombstone === 'function') {
        const removed = table.tombstone(meta);
        expect(Object.keys(removed)).toEqual(Object.keys(row));
        expect(rowKey(table, removed)).toBe(rowKey(table, row));
      }
    },
  );

  it('identify rows by their sorting key only', () => {
    const { meta } = sampleRecords.trades!;
    const key = (change: Partial<typeof sampleTrade>) =>
      rowKey(tradesTable, tradesTable.row({ ...sampleTrade, ...change }, meta));
    expect(key({ status: 'confirmed', marketId: null })).toBe(key({}));
    expect(key({ id: 'venue_b:0xabc:8' })).not.toBe(key({}));
  });
});

describe('columns', () => {
  it.each(['0', '-1.5', '99999999999999999999.999999999999999999', '007.50'])('accept the decimal %s', (text) => {
    expect(decimalColumn(text)).toBe(text);
  });

  it.each(['', ' 1', '1e5', 'abc', '.5', '1.', '0.1234567890123456789', '123456789012345678901', 'NaN', '+1', '1\n'])(
    'refuse %j as a decimal',
    (text) => {
      expect(() => decimalColumn(text)).toThrow(expect.objectContaining({ code: 'bad_decimal', canRetry: false }));
    },
  );

  it.each([-2_208_988_800_000, 0, 10_413_791_999_999])('accept the time %i', (ms) => {
    expect(timeColumn(ms)).toBe(ms);
  });

  it.each([-2_208_988_800_001, 10_413_792_000_000, 0.5, Number.NaN])('refuse the time %d', (ms) => {
    expect(() => timeColumn(ms)).toThrow(expect.objectContaining({ code: 'bad_time' }));
  });

  it('accept counts from 0 to 2^53 - 1 and whole numbers of both signs', () => {
    expect([countColumn(0), countColumn(Number.MAX_SAFE_INTEGER)]).toEqual([0, Number.MAX_SAFE_INTEGER]);
    expect([integerColumn(-1), integerColumn(1)]).toEqual([-1, 1]);
    for (const bad of [-1, 2 ** 53, 0.5]) {
      expect(() => countColumn(bad)).toThrow(expect.objectContaining({ code: 'bad_integer' }));
    }
    expect(() => integerColumn(0.5)).toThrow(expect.objectContaining({ code: 'bad_integer' }));
  });
});

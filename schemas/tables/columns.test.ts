import { describe, expect, it } from 'vitest';
import { decimal, flag, float, integer, list, nullable, oneOf, product, record, text, timestamp } from '../avro.ts';
import { defineTopic } from '../topics/topic.ts';
import { createTable } from './create-table.ts';
import type { RecordMeta } from './declaration.ts';
import { defineTable } from './table.ts';

const part = record('Part', 'A part.', { size: nullable(decimal('Its size.')), name: text("The part's name.") });
const schema = record('Whole', 'A record with a field of each kind.', {
  id: text('Its id.'),
  venue: text('Where.'),
  state: oneOf(['new', 'old'], 'Its state.'),
  at: timestamp('When.'),
  price: nullable(decimal('A price.')),
  cost: product('A cost.'),
  count: integer('How many.'),
  change: integer('By how much.'),
  share: float('A share.'),
  live: flag('True if live.'),
  sizes: list(decimal('A size.'), 'Sizes.'),
  parts: list(part, 'Parts.'),
  hidden: text('Not in the table.'),
});
const topic = defineTopic({
  name: 'wholes',
  description: 'Wholes.',
  key: 'id',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema,
});
const table = defineTable({
  name: 'wholes',
  description: 'Wholes.',
  holds: 'market',
  fromTopics: [topic],
  orderBy: ['id', 'at'],
  shardBy: ['id'],
  monthOf: 'at',
  omit: ['hidden'],
  lowCardinality: ['venue', 'parts.name'],
  signed: ['change'],
  added: { double: { type: 'UInt64', comment: 'Twice the count.', value: ({ count }) => 2 * count } },
  indexes: ['INDEX byVenue venue TYPE set(0) GRANULARITY 1'],
  settings: 'index_granularity = 1024',
  retentionDays: 7,
  tombstone: ({ key }) => ({ id: key, at: 5 }),
});
const meta: RecordMeta = { topic: 'wholes', partition: 0, offset: 8, seq: 9, key: 'a', receivedAt: 5 };
const value = {
  id: 'a',
  venue: 'v',
  state: 'new' as const,
  at: 5,
  price: '1.5',
  cost: '0.25',
  count: 3,
  change: -4,
  share: 0.5,
  live: true,
  sizes: ['1', '2'],
  parts: [
    { size: null, name: 'x' },
    { size: '0.1', name: 'y' },
  ],
  hidden: 'h',
};

describe('the columns of a table', () => {
  it('follow from the schema of its records', () => {
    expect(Object.fromEntries(table.columns.map(({ name, type }) => [name, type]))).toEqual({
      double: 'UInt64',
      id: 'String',
      venue: 'LowCardinality(String)',
      state: 'LowCardinality(String)',
      at: "DateTime64(3, 'UTC')",
      price: 'Nullable(Decimal(38, 18))',
      cost: 'Decimal(76, 36)',
      count: 'UInt64',
      change: 'Int64',
      share: 'Float64',
      live: 'Bool',
      sizes: 'Array(Decimal(38, 18))',
      'parts.size': 'Array(Nullable(Decimal(38, 18)))',
      'parts.name': 'Array(LowCardinality(String))',
      removed: 'UInt8',
      version: 'UInt64',
    });
  });

  it('are in the statement that creates it, with what its declaration states', () => {
    const sql = createTable(table);
    expect(sql).toContain("`parts.name` Array(LowCardinality(String)) COMMENT 'The part\\'s name.'");
    expect(sql).toContain(`  INDEX byVenue venue TYPE set(0) GRANULARITY 1
) ENGINE = ReplacingMergeTree(version, removed)
PARTITION BY toYYYYMM(at)
ORDER BY (id, at)
TTL storedAt + INTERVAL 7 DAY
SETTINGS index_granularity = 1024`);
  });

  it('take their values from the record and its position', () => {
    const { parts, hidden, ...fields } = value;
    const lists = { 'parts.size': [null, '0.1'], 'parts.name': ['x', 'y'] };
    expect(table.row(value, meta)).toEqual({ ...fields, ...lists, double: 6, removed: 0, version: 9 });
  });

  it('are empty in the row of a tombstone, but for its key', () => {
    expect(table.tombstone).toBeTypeOf('function');
    expect(table.tombstone !== 'ignored' && table.tombstone?.(meta)).toEqual({
      double: 0,
      id: 'a',
      venue: '',
      state: '',
      at: 5,
      price: null,
      cost: '0',
      count: 0,
      change: 0,
      share: 0,
      live: false,
      sizes: [],
      'parts.size': [],
      'parts.name': [],
      removed: 1,
      version: 9,
    });
  });

  it.each([
    ['price', '1e5', 'bad_decimal'],
    ['cost', '', 'bad_decimal'],
    ['at', 0.5, 'bad_time'],
    ['count', -1, 'bad_integer'],
    ['sizes', ['1', 'x'], 'bad_decimal'],
    ['parts', [{ size: '', name: 'x' }], 'bad_decimal'],
  ])('refuse a value of %s that they cannot hold', (field, wrong, code) => {
    expect(() => table.row({ ...value, [field]: wrong }, meta)).toThrow(expect.objectContaining({ code }));
  });
});

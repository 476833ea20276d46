import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { integer, nullable, record, text, timestamp } from '../../avro.ts';
import { defineTopic } from '../../topics/topic.ts';
import type { TableDeclaration } from '../declaration.ts';
import { TABLES } from '../index.ts';
import { defineTable } from '../table.ts';
import { type DeclaredTable, declaredTable, migrationFor } from './declared-tables.ts';

const frozen = JSON.parse(readFileSync(join(import.meta.dirname, 'declared-tables.json'), 'utf8')) as DeclaredTable[];

it('no declaration has changed since the newest migration: add one with these statements, then npm run schemas:freeze', () => {
  expect(migrationFor(frozen, TABLES)).toEqual([]);
});

it('every declared table is frozen: run npm run schemas:freeze after an addition', () => {
  expect(frozen.map(({ name }) => name)).toEqual(TABLES.map(({ name }) => name));
});

describe('a changed declaration', () => {
  const schema = record('Example', 'An example.', {
    id: text('Its id.'),
    at: timestamp('When.'),
    size: nullable(integer('How many.')),
  });
  const topic = defineTopic({
    name: 'examples',
    description: 'Examples.',
    key: 'id',
    partitions: 1,
    retention: { kind: 'derived' },
    schema,
  });
  const tableWith = (change: Partial<TableDeclaration<unknown>> = {}) =>
    defineTable<unknown>({
      name: 'examples',
      description: 'Examples.',
      holds: 'market',
      fromTopics: [topic],
      orderBy: ['id'],
      shardBy: ['id'],
      ...change,
    });
  const before = [declaredTable(tableWith({ omit: ['size'], indexes: ['INDEX byTime at TYPE minmax GRANULARITY 1'] }))];

  it('gives the statements of its migration', () => {
    const { name, ...others } = declaredTable(tableWith());
    expect(
      migrationFor([{ name, ...others, columns: { ...others.columns, old: 'String', at: 'UInt64' } }], [tableWith()]),
    ).toEqual([
      "ALTER TABLE examples MODIFY COLUMN `at` DateTime64(3, 'UTC')",
      'ALTER TABLE examples DROP COLUMN IF EXISTS `old`',
    ]);
    expect(migrationFor(before, [tableWith({ indexes: ['PROJECTION byAt (SELECT * ORDER BY at)'] })])).toEqual([
      'ALTER TABLE examples DROP INDEX IF EXISTS byTime',
      'ALTER TABLE examples ADD COLUMN IF NOT EXISTS `size` Nullable(UInt64) AFTER `at`',
      'ALTER TABLE examples ADD PROJECTION IF NOT EXISTS byAt (SELECT * ORDER BY at)',
    ]);
  });

  it('states what no statement can change', () => {
    const [comment] = migrationFor([declaredTable(tableWith())], [tableWith({ orderBy: ['id', 'at'] })]);
    expect(comment).toMatch(/^-- examples: .*ORDER BY \(id, at\)$/s);
  });

  it('drops a table that is gone, and needs nothing for a new one', () => {
    expect(migrationFor([], [tableWith()])).toEqual([]);
    expect(migrationFor(before, [])).toEqual(['DROP TABLE IF EXISTS examples']);
  });
});

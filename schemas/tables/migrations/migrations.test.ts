import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS } from './index.ts';
import { type Migration, migrationErrors } from './migration.ts';

const step = (number: number, sql: string[] = []): Migration => ({ number, name: `step-${number}`, sql });

describe('the migrations', () => {
  it('are numbered from 1 without gaps or repetitions, and can run twice', () => {
    expect(migrationErrors(MIGRATIONS)).toEqual([]);
  });

  it('are all the files of the folder, with their names', () => {
    const files = readdirSync(import.meta.dirname)
      .filter((file) => /^\d/.test(file))
      .map((file) => file.replace(/\.ts$/, ''))
      .sort();
    expect(MIGRATIONS.map((migration) => migration.name)).toEqual(files);
    for (const { number, name } of MIGRATIONS) expect(name.slice(0, 4)).toBe(`${String(number).padStart(3, '0')}-`);
  });
});

describe('migrationErrors', () => {
  it.each([
    ['a number that occurs twice', [step(1), step(1)]],
    ['a number below the newest', [step(1), step(2), step(1)]],
    ['a gap', [step(1), step(3)]],
    ['a list that does not start at 1', [step(2)]],
    ['a statement that cannot run twice', [step(1, ['CREATE TABLE t (id UInt8) ENGINE = Memory'])]],
  ])('finds %s', (_, migrations) => {
    expect(migrationErrors(migrations)).toHaveLength(1);
  });

  it('finds no error in a valid list', () => {
    const sql = ['CREATE TABLE IF NOT EXISTS t (id UInt8) ENGINE = Memory', 'DROP TABLE IF EXISTS u'];
    expect(migrationErrors([step(1, sql), step(2)])).toEqual([]);
  });
});

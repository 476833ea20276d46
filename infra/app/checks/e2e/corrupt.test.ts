import { describe, expect, it } from 'vitest';
import { openTestStore } from '#query-api/testing/open-test-store.fixture';
import { TABLES } from '#schemas/tables/index';
import type { TableSpec } from '#schemas/tables/table';
import { isSourceTable } from '../../cli/replay/overlay-log.ts';
import { addedColumnOf, alterationOf, corruptTable } from './corrupt.ts';

/** A table with the columns `name: type`. */
function tableOf(columns: Readonly<Record<string, string>>, orderBy: readonly string[], monthOf?: string): TableSpec {
  const all = Object.entries(columns).map(([name, type]) => ({ name, type }));
  return { name: 'sample', columns: all, orderBy, ...(monthOf ? { monthOf } : {}) } as unknown as TableSpec;
}

describe('the damage of a table', () => {
  it('follows from the declaration for every table', () => {
    for (const table of TABLES) {
      const [column = ''] = alterationOf(table).split(' = ');
      expect(table.orderBy, table.name).not.toContain(column);
      if (!isSourceTable(table)) expect(table.orderBy, table.name).toContain(addedColumnOf(table));
    }
  });

  it('changes a stored row of every table, and adds one that a verification would find', async () => {
    const { store, close } = await openTestStore();
    const rowsOf = async ({ name }: TableSpec) =>
      (await store.query<{ row: string }>(`SELECT toString(tuple(*)) AS row FROM ${name} FINAL`)).map(({ row }) => row);
    try {
      for (const table of TABLES) {
        await store.command(`INSERT INTO ${table.name} (version) VALUES (1)`);
        const before = await rowsOf(table);
        const damage = await corruptTable(store, table);
        const after = await rowsOf(table);
        const kinds = isSourceTable(table) ? ['altered'] : ['added', 'altered'];
        expect(damage.map((each) => each.split(' ')[0])).toEqual(kinds);
        expect([before.length, after.length], table.name).toEqual([1, kinds.length]);
        expect(after, table.name).not.toContain(before[0]);
      }
    } finally {
      await close();
    }
  });

  it('alters the first column outside the sorting key, the month and the version', () => {
    const columns = { id: 'String', ts: "DateTime64(3, 'UTC')", removed: 'UInt8', version: 'UInt64' };
    const alteration = (added: string) => alterationOf(tableOf({ ...columns, added }, ['id'], 'ts'));
    expect(alteration('String')).toBe("added = 'altered'");
    expect(alteration('LowCardinality(Nullable(String))')).toBe("added = 'altered'");
    expect(alteration("DateTime64(3, 'UTC')")).toBe('added = added + INTERVAL 1 SECOND');
    expect(alteration('Decimal(38, 18)')).toBe('added = added + 1');
    expect(alteration('Int64')).toBe('added = added + 1');
  });

  it('alters no number or time that may be null, since it would remain null', () => {
    const nullable = tableOf({ id: 'String', size: 'Nullable(UInt64)', units: 'UInt64' }, ['id']);
    expect(alterationOf(nullable)).toBe('units = units + 1');
    expect(() => alterationOf(tableOf({ id: 'String', size: 'Nullable(UInt64)' }, ['id']))).toThrow(
      'no column of sample can be altered',
    );
  });

  it('adds a row that differs in the last text column of the sorting key', () => {
    const columns = { orgId: 'String', kind: 'LowCardinality(String)', at: "DateTime64(3, 'UTC')" };
    expect(addedColumnOf(tableOf(columns, ['orgId', 'kind', 'at']))).toBe('kind');
    expect(() => addedColumnOf(tableOf(columns, ['at']))).toThrow('the sorting key of sample has no text column');
  });
});

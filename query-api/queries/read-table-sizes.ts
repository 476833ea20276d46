import type { Store } from '#infra/store/store';
import { TABLES } from '#schemas/tables/index';
import { query, type Reader } from './query.ts';

export interface TableSize {
  readonly table: string;
  readonly rows: number;
  /** On the disk; of one copy. */
  readonly bytes: number;
}

/** Reads how many rows and bytes each table has, the largest first. Rows that were written twice count until a merge. */
export function readTableSizes(reader: Reader, { cluster, database }: Pick<Store, 'cluster' | 'database'>) {
  const parts = cluster === null ? 'system.parts' : `cluster('${cluster.replaceAll("'", "''")}', system.parts)`;
  return query(reader, {
    name: 'table-sizes',
    sql: `SELECT replaceRegexpOne(table, '_local$', '') AS name,
       toFloat64(sum(rows)) AS rows, toFloat64(sum(bytes_on_disk)) AS bytes
     FROM ${parts} AS p
     WHERE p.active AND p.database = {database:String}
     GROUP BY name`,
    parameters: { database },
    parse: (found: { readonly name: string; readonly rows: number; readonly bytes: number }[]): TableSize[] => {
      const sizes = new Map(found.map(({ name, rows, bytes }) => [name, { rows, bytes }]));
      return TABLES.map(({ name }) => ({ table: name, ...(sizes.get(name) ?? { rows: 0, bytes: 0 }) })).sort(
        (a, b) => b.bytes - a.bytes,
      );
    },
  });
}

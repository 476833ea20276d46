import { createHash } from 'node:crypto';
import { migrate } from '#infra/store/migrate';
import type { Store } from '#infra/store/store';
import { type DataSetRecord, rowsOf } from './data-set.ts';

/** Letters of the digest in the name of a database. */
const DIGEST_LENGTH = 12;

/**
 * The tables of market data with the rows of the data set alone, in a database beside the live one, filled if it is not
 * yet. Its name has the digest of the rows: nodes that were started with the same data set share it, whichever of them
 * fills it or whether all do so at once (a row that is inserted twice counts once), and another data set, or other
 * columns, have another database. Rejects with a `StoreError`.
 */
export async function openTables(
  store: Pick<Store, 'database' | 'inDatabase'>,
  records: readonly DataSetRecord[],
): Promise<Store> {
  const tables = [...rowsOf(records)].map(([{ name }, rows]) => ({ name, rows }));
  const digest = createHash('sha256').update(JSON.stringify(tables)).digest('hex').slice(0, DIGEST_LENGTH);
  const own = await store.inDatabase(`${store.database}_sandbox_${digest}`);
  await migrate(own);
  for (const { name, rows } of tables) {
    const [held] = await own.query<{ rows: number }>(`SELECT toFloat64(count()) AS rows FROM ${name} FINAL`);
    if (held!.rows < rows.length) await own.insert(name, rows);
  }
  return own;
}

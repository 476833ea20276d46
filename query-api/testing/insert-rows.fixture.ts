import type { Store } from '#infra/store/store';
import type { TableSpec } from '#schemas/tables/table';
import { NOON_MS } from './records.fixture.ts';

/**
 * Inserts records into their table as the sink does. Each call creates a separate part of the table, so that several
 * versions of a row can exist unmerged.
 * @param seq seq of the first record; the version with the greatest seq counts.
 * @param topic for tables whose rows depend on it.
 */
export async function insertRows<T>(
  store: Pick<Store, 'insert'>,
  table: TableSpec<T>,
  records: readonly T[],
  seq = 1,
  topic = '',
): Promise<void> {
  const meta = { topic, partition: 0, key: '', receivedAt: NOON_MS };
  const rows = records.map((record, nth) => table.row(record, { ...meta, offset: seq + nth, seq: seq + nth }));
  await store.insert(table.name, rows);
}

import type { Store } from '#infra/store/store';
import type { TableSpec } from '#schemas/tables/table';
import { NOON_MS } from './records.fixture.ts';

/**
 * Keeps records in their table as the sink does; each call is a part of its own, so that newer states stand beside older
 * ones.
 * @param seq number of the first; the greatest number of a row counts.
 * @param topic for tables whose rows tell it.
 */
export async function keepRows<T>(
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

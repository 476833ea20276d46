import { type Codec, CodecError } from '#infra/codec/codec';
import type { LogRecord } from '#infra/log/log';
import { RowError } from '#schemas/tables/column-values';
import type { TableRow } from '#schemas/tables/declaration';
import type { TableTopic } from './table-topics.ts';

/** Result of converting a record. */
export type Outcome =
  | { readonly kind: 'row'; readonly row: TableRow }
  /** The record can never become a row. `reason` is a short stable code. */
  | { readonly kind: 'dead'; readonly reason: string; readonly detail: string }
  /** The record changes no table. */
  | { readonly kind: 'nothing' }
  /** The schema of the record has to be fetched first. */
  | { readonly kind: 'unknown_schema' };

/** Converts a record into a row. */
export function rowOf(record: LogRecord, { topic, table }: TableTopic, codec: Codec): Outcome {
  try {
    if (record.value !== null) return { kind: 'row', row: table.row(codec.decodeRecord(topic, record), record) };
    if (table.tombstone === 'ignored') return { kind: 'nothing' };
    if (table.tombstone) return { kind: 'row', row: table.tombstone(record) };
    return { kind: 'dead', reason: 'unexpected_tombstone', detail: `rows of ${table.name} are never removed` };
  } catch (error) {
    if (error instanceof CodecError && error.code === 'unknown_schema') return { kind: 'unknown_schema' };
    if (error instanceof CodecError || error instanceof RowError)
      return { kind: 'dead', reason: error.code, detail: error.message };
    throw error;
  }
}

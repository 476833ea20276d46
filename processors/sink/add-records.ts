import { type Codec, CodecError } from '#infra/codec/codec';
import type { LogRecord } from '#infra/log/log';
import { nextTurn } from '#infra/runtime/turn';
import type { Batch } from './batch.ts';
import type { Persistence } from './persistence.ts';
import { type Outcome, rowOf } from './row-of.ts';
import { TABLE_TOPICS } from './table-topics.ts';

/** Records converted in one turn of the event loop: some milliseconds of work, also for the widest rows. */
export const RECORDS_PER_TURN = 256;

/** Converts records into rows of a batch. Waits to fetch an unknown schema, and lets other work have its turn. */
export async function addRecords(
  records: readonly LogRecord[],
  batch: Batch,
  codec: Codec,
  persistence: Persistence,
): Promise<void> {
  for (const [nth, record] of records.entries()) {
    if (nth > 0 && nth % RECORDS_PER_TURN === 0) await nextTurn();
    const target = TABLE_TOPICS.get(record.topic);
    if (!target) throw new Error(`no table is filled from ${record.topic}`);
    let outcome = rowOf(record, target, codec);
    if (outcome.kind === 'unknown_schema') outcome = await fetchSchemaThenRow(record, codec, persistence);
    if (outcome.kind === 'row') batch.add(target.table, outcome.row, record);
    else if (outcome.kind === 'nothing') batch.skip(record);
    else if (outcome.kind === 'dead') batch.addDead({ record, reason: outcome.reason, detail: outcome.detail });
    else batch.addDead({ record, reason: outcome.kind, detail: 'the schema id of the record is not in the registry' });
  }
}

async function fetchSchemaThenRow(record: LogRecord, codec: Codec, persistence: Persistence): Promise<Outcome> {
  try {
    // Retried while the registry is unreachable; an unknown schema is an answer and final.
    await persistence.run(() => codec.fetchSchema(record.value!));
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    return { kind: 'dead', reason: error.code, detail: error.message };
  }
  return rowOf(record, TABLE_TOPICS.get(record.topic)!, codec);
}

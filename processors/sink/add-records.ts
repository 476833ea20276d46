import { type Codec, CodecError } from '#infra/codec/codec';
import type { LogRecord } from '#infra/log/log';
import type { Batch } from './batch.ts';
import type { Persistence } from './persistence.ts';
import { type Outcome, rowOf } from './row-of.ts';
import { TABLE_TOPICS } from './table-topics.ts';

/** Turns records into rows of a batch. Waits only for a schema that is not known here yet. */
export async function takeRecords(
  records: readonly LogRecord[],
  batch: Batch,
  codec: Codec,
  persistence: Persistence,
): Promise<void> {
  for (const record of records) {
    const target = TABLE_TOPICS.get(record.topic);
    if (!target) throw new Error(`no table takes ${record.topic}`);
    let outcome = rowOf(record, target, codec);
    if (outcome.kind === 'unknown_schema') outcome = await learnThenRow(record, codec, persistence);
    if (outcome.kind === 'row') batch.add(target.table, outcome.row, record);
    else if (outcome.kind === 'nothing') batch.pass(record);
    else if (outcome.kind === 'dead') batch.addDead({ record, reason: outcome.reason, detail: outcome.detail });
    else batch.addDead({ record, reason: outcome.kind, detail: 'its schema id is not in the registry' });
  }
}

async function learnThenRow(record: LogRecord, codec: Codec, persistence: Persistence): Promise<Outcome> {
  try {
    // A registry that cannot be reached is waited for; one that does not know the schema has answered.
    await persistence.run(() => codec.learn(record.value!));
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    return { kind: 'dead', reason: error.code, detail: error.message };
  }
  return rowOf(record, TABLE_TOPICS.get(record.topic)!, codec);
}

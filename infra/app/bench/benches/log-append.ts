/**
 * Appends per second of the embedded log compared with LMDB. Batches of simulated raw records go through
 * `EventLog.append`. The baseline writes the same values, in batches of the same size, into one LMDB database with
 * `transactionSync` and `putSync`.
 *
 * Sources of error: different durability (both commit without waiting for the disk; sync points and compression, which
 * only the log has, are included in the measurement); unrealistic values (they are frames of realistic size); one file
 * for both, where one side uses the pages that the other frees.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, TransactionFlags } from 'lmdb';
import { TOPICS } from '#schemas/topics/catalog';
import { openEmbeddedLog } from '../../../log/embedded/open-embedded-log.ts';
import type { AppendRecord, EventLog, LogRecord } from '../../../log/log.ts';
import { openSimulatedService } from '../../simulated-service.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { alternate, rateResult, timed, timedAsync } from '../measure.ts';
import { readRawRecords } from '../raw-records.ts';

/** Records that arrive in 2 ms at 25,000 records a second. */
const BATCH_RECORDS = 50;
const ROUND_RECORDS = 10_000;
const ROUNDS = 11;
const WARMUPS = 2;
const FLAGS = TransactionFlags.ABORTABLE | TransactionFlags.SYNCHRONOUS_COMMIT | TransactionFlags.NO_SYNC_FLUSH;

export const logAppend: Bench = {
  aims: { 'log-append': { ratioMin: 0.5 } },
  async run({ folder, onProgress }: BenchContext): Promise<BenchResult[]> {
    const records = await simulatedRecords(join(folder, 'service'));
    const log = await openEmbeddedLog({ path: join(folder, 'log') });
    const bare = openBare(join(folder, 'bare'));
    try {
      await log.createTopics(TOPICS);
      const rates = await alternate(
        () => timedAsync(() => appendAll(log, records)),
        () => timed(() => bare.putAll(records)),
        { rounds: ROUNDS, warmups: WARMUPS, onProgress },
      );
      return [rateResult('log-append', 'records/s', rates)];
    } finally {
      await bare.close();
      await log.close();
    }
  },
};

async function simulatedRecords(folder: string): Promise<LogRecord[]> {
  const service = await openSimulatedService({ folder, rate: 2_000, seconds: 6 });
  try {
    const all = await readRawRecords(service.context.log);
    // Uses the newest records, since the first ones are catalogs and not frames. Copies them, since the log is closed.
    return all.slice(-ROUND_RECORDS).map((record) => ({ ...record, value: Buffer.from(record.value!) }));
  } finally {
    await service.close();
  }
}

async function appendAll(log: EventLog, records: readonly AppendRecord[]): Promise<number> {
  for (let at = 0; at < records.length; at += BATCH_RECORDS) await log.append(records.slice(at, at + BATCH_RECORDS));
  return records.length;
}

function openBare(path: string) {
  mkdirSync(path, { recursive: true });
  const database = open<Buffer, number>({ path, encoding: 'binary', overlappingSync: false });
  let offset = 0;
  return {
    putAll(records: readonly AppendRecord[]): number {
      for (let at = 0; at < records.length; at += BATCH_RECORDS) {
        const batch = records.slice(at, at + BATCH_RECORDS);
        database.transactionSync(() => {
          for (const { value } of batch) {
            database.putSync(offset, value!);
            offset += 1;
          }
        }, FLAGS);
      }
      return records.length;
    },
    close: () => database.close(),
  };
}

/**
 * What does the embedded log cost beside LMDB itself? Batches of simulated raw records go through `EventLog.append`; the
 * baseline puts the same values, in batches of the same size, into one LMDB database with `transactionSync` and
 * `putSync`.
 *
 * What would skew it: other durability on one side (both commit without waiting for the disk, as the log does; its sync
 * points and its compression, which the baseline does not have, stay within the measurement); tiny or made-up values (they are real frames
 * of real sizes); one file for both, where one side fills the pages that the other frees.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, TransactionFlags } from 'lmdb';
import { TOPICS } from '#schemas/topics/catalog';
import { openEmbeddedLog } from '../../log/embedded/open-embedded-log.ts';
import type { AppendRecord, EventLog, LogRecord } from '../../log/log.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { alternate, rateResult, timed, timedAsync } from '../measure.ts';
import { openWorld } from '../open-world.ts';
import { readRawRecords } from '../raw-records.ts';

/** What gathers in 2 ms at 25,000 records a second. */
const BATCH_RECORDS = 50;
const ROUND_RECORDS = 10_000;
const ROUNDS = 11;
const WARMUPS = 2;
const FLAGS = TransactionFlags.ABORTABLE | TransactionFlags.SYNCHRONOUS_COMMIT | TransactionFlags.NO_SYNC_FLUSH;

export const logAppend: Bench = {
  aims: { 'log-append': { ratioMin: 0.5 } },
  async run({ folder, onProgress }: BenchContext): Promise<BenchResult[]> {
    const records = await simulatedRecords(join(folder, 'world'));
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
  const world = await openWorld({ folder, rate: 2_000, seconds: 6 });
  try {
    const all = await readRawRecords(world.context.log);
    // The newest: the catalog answers at the beginning are no frames. Copied out of the log that is about to close.
    return all.slice(-ROUND_RECORDS).map((record) => ({ ...record, value: Buffer.from(record.value!) }));
  } finally {
    await world.close();
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

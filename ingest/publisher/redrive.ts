/** Appends records that could not be processed to the end of their raw topic again. */

import type { AppendRecord, EventLog } from '#infra/log/log';
import { timeLimit } from '#infra/runtime/time-limit';
import { clockTopic, deadLetterTopic } from '#schemas/topics/control';
import { nextTick } from '../clock/clock-marks.ts';
import { INGEST_LEASE, INGEST_TOPICS } from './ingest-topics.ts';
import { PartitionSequences } from './partition-sequences.ts';
import { batchesOf, copiesOf, groupsOf, type StoredDeadLetter } from './redrive-groups.ts';

/** How long to wait for the lease of a writer that has just ended. */
const LEASE_WAIT_MS = 20_000;

/**
 * Appends the records of the dead letters and then removes the dead letters, in batches. A run that is interrupted between
 * the two leaves dead letters whose records are already at the end of the topic. So every run first reads the topic from
 * its oldest dead letter on and appends only missing records. A record is appended twice only if retention removed its
 * first copy.
 *
 * It writes as ingest does and needs its lease: rejects with `log_locked` while a process with the ingest role runs.
 */
export async function redriveRaw(
  log: EventLog,
  topic: string,
  deadLetters: readonly StoredDeadLetter[],
): Promise<void> {
  if (deadLetters.length === 0) return;
  const lease = await log.lease(INGEST_LEASE, [topic], { signal: timeLimit(LEASE_WAIT_MS) });
  try {
    const sequences = await PartitionSequences.open(log, INGEST_TOPICS, 'continue');
    const newest = sequences.newestAt();
    const markedAt = sequences.of(clockTopic.name, 0).lastStored?.receivedAt ?? newest;
    // The watermark of ingest never exceeds the next clock mark, so readers still accept records of that time.
    const end = Math.max(newest, nextTick(markedAt) - 1);
    // Copies are later than every record, which distinguishes them.
    const receivedAt = deadLetters.reduce((latest, { deadLetter }) => Math.max(latest, deadLetter.receivedAt), end) + 1;
    const groups = groupsOf(deadLetters);
    const copies = await copiesOf(log, topic, groups);
    for (const batch of batchesOf(groups)) {
      const missing = batch.flatMap((group) => group.records.slice(copies.get(group) ?? 0));
      const records = missing.map(({ partition, key, value }): AppendRecord => {
        const seq = sequences.next(sequences.of(topic, partition), key, receivedAt)!;
        return { topic, partition, key, value, receivedAt, seq };
      });
      if (records.length > 0) await log.append(records);
      const redriven = batch.flatMap((group) => group.deadLetters);
      await log.append(
        redriven.map(({ key }) => {
          return { topic: deadLetterTopic(topic).name, partition: 0, key, value: null, receivedAt, seq: 0 };
        }),
      );
    }
  } finally {
    await lease.release();
  }
}

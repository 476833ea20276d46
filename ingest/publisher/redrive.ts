/** Puts records that could not be processed at the end of their raw topic again. */
import type { AppendRecord, EventLog } from '#infra/log/log';
import { clockTopic, type DeadLetter, deadLetterTopic } from '#schemas/topics/control';
import { nextTick } from '../clock/clock-marks.ts';
import { INGEST_LEASE, INGEST_TOPICS } from './ingest-topics.ts';
import { PartitionNumbers } from './numbering.ts';
import { batchesOf, copiesOf, groupsOf } from './redrive-groups.ts';

/** How long a writer that has just ended may still count as one. */
const LEASE_WAIT_MS = 20_000;

export interface KeptLetter {
  readonly key: string;
  readonly letter: DeadLetter;
}

/**
 * Appends the records of the letters and removes the letters, some at a time: first the records, then the letters. A run
 * that was cut off between the two leaves letters whose records stand at the end of the topic already, so every run first
 * reads the topic from the oldest of its letters on, and appends only what it does not find. Each record comes once,
 * however often it is cut off; twice only where retention has removed the first copy by then.
 *
 * It writes as ingest does, so it needs to be alone: rejects with `log_locked` while a process with the ingest role runs.
 */
export async function redriveRaw(log: EventLog, topic: string, letters: readonly KeptLetter[]): Promise<void> {
  if (letters.length === 0) return;
  const lease = await log.lease(INGEST_LEASE, [topic], { signal: AbortSignal.timeout(LEASE_WAIT_MS) });
  try {
    const numbers = await PartitionNumbers.open(log, INGEST_TOPICS, 'continue');
    const newest = numbers.newestAt();
    const marked = numbers.of(clockTopic.name, 0).kept?.receivedAt ?? newest;
    // Ingest never promises beyond the clock's next mark: at its time whoever reads the topic still waits for more.
    const end = Math.max(newest, nextTick(marked) - 1);
    // Later than every record, which tells copies from them.
    const last = letters.reduce((latest, { letter }) => Math.max(latest, letter.receivedAt), end) + 1;
    const groups = groupsOf(letters);
    const copies = await copiesOf(log, topic, groups);
    for (const batch of batchesOf(groups)) {
      const missing = batch.flatMap((group) => group.records.slice(copies.get(group) ?? 0));
      const again = missing.map(({ partition, key, value }): AppendRecord => {
        const seq = numbers.next(numbers.of(topic, partition), key, last)!;
        return { topic, partition, key, value, receivedAt: last, seq };
      });
      if (again.length > 0) await log.append(again);
      const done = batch.flatMap((group) => group.letters);
      await log.append(
        done.map(({ key }) => {
          return { topic: deadLetterTopic(topic).name, partition: 0, key, value: null, receivedAt: last, seq: 0 };
        }),
      );
    }
  } finally {
    await lease.release();
  }
}

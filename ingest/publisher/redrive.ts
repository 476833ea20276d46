/** Puts records that could not be processed at the end of their raw topic again. */
import type { AppendRecord, EventLog } from '#infra/log/log';
import { clockTopic, type DeadLetter, deadTopic } from '#schemas/topics/control';
import { nextTick } from '../clock/clock-marks.ts';
import { PartitionNumbers } from './numbering.ts';
import { INGEST_LEASE, INGEST_TOPICS } from './publisher.ts';

/** How long a writer that has just ended may still count as one. */
const LEASE_WAIT_MS = 20_000;

export interface KeptLetter {
  readonly key: string;
  readonly letter: DeadLetter;
}

/**
 * Appends the records of the letters and removes the letters. It writes as ingest does, so it needs to be alone: rejects
 * with `log_locked` while a process with the ingest role runs.
 */
export async function redriveRaw(log: EventLog, topic: string, letters: readonly KeptLetter[]): Promise<void> {
  const lease = await log.lease(INGEST_LEASE, [topic], { signal: AbortSignal.timeout(LEASE_WAIT_MS) });
  try {
    const numbers = await PartitionNumbers.open(log, INGEST_TOPICS, 'continue');
    const newest = numbers.newestAt();
    const marked = numbers.of(clockTopic.name, 0).kept?.receivedAt ?? newest;
    // Ingest never promises beyond the clock's next mark: at its time whoever reads the topic still waits for more.
    const end = Math.max(newest, nextTick(marked));
    // One record can have been refused by several stages; it is appended once.
    const records = new Map(letters.map(({ letter }) => [`${letter.partition}/${letter.offset}`, letter]));
    const last = [...records.values()].reduce((latest, { receivedAt }) => Math.max(latest, receivedAt), end);
    const again = [...records.values()].map(({ partition, key, value }): AppendRecord => {
      const seq = numbers.next(numbers.of(topic, partition), key, last)!;
      return { topic, partition, key, value, receivedAt: last, seq };
    });
    await log.append(again);
    await log.append(
      letters.map(({ key, letter: { receivedAt } }) => {
        return { topic: deadTopic(topic).name, partition: 0, key, value: null, receivedAt, seq: 0 };
      }),
    );
  } finally {
    await lease.release();
  }
}

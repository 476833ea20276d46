import type { EventLog, TopicPartition } from './log.ts';

/**
 * The number after which the only writer of a partition goes on when the partition holds no record. That does not mean
 * that there was none: a broker's retention removes the last one too, and readers remember its number. What stays is the
 * partition's next offset. Every number took an offset at least, so that is never below the number of what is gone.
 * Embedded the last record stays, so an empty partition was never written, and its next offset is 0.
 */
export async function numbersBefore(log: Pick<EventLog, 'bounds'>, at: TopicPartition): Promise<number> {
  return (await log.bounds(at)).next;
}

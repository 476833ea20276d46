import type { EventLog, TopicPartition } from './log.ts';

/**
 * Returns the last `seq` to assume for a partition without records, after which its only writer continues. An empty
 * partition may have contained records earlier: a broker's retention removes the last one too, and readers remember its number. Only
 * the partition's next offset remains. Every number used at least one offset, so that offset is never below the last
 * number. Embedded, the last record is never removed, so an empty partition was never written and its next offset is 0.
 */
export async function lastSeqOfEmptyPartition(log: Pick<EventLog, 'bounds'>, at: TopicPartition): Promise<number> {
  return (await log.bounds(at)).next;
}

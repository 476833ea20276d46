import { type AppendRecord, type EventLog, LogError } from './log.ts';

/**
 * Appends in the given order, except for records that the log refuses as `log_too_large`, and returns those. The other
 * records of the batch are appended all the same. Rejects with every other `LogError`, as `append` does, and may then
 * be called again with the same records: readers drop repeats by `seq`.
 */
export async function appendFitting(
  log: Pick<EventLog, 'append'>,
  records: readonly AppendRecord[],
): Promise<readonly AppendRecord[]> {
  try {
    await log.append(records);
    return [];
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'log_too_large') throw error;
    if (records.length === 1) return records;
    // Find the record by bisection: a broker may have a lower limit than this process knows.
    const middle = Math.ceil(records.length / 2);
    const refused = await appendFitting(log, records.slice(0, middle));
    return [...refused, ...(await appendFitting(log, records.slice(middle)))];
  }
}

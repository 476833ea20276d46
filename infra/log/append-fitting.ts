import { type AppendRecord, type EventLog, LogError } from './log.ts';

/**
 * Appends in the given order, without the records that the log refuses as `log_too_large`; gives those. Who else is in
 * the batch does not suffer for them. Rejects with every other `LogError`, as `append` does, and may be called again
 * with the same records then: what was taken already is told by its `seq`.
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
    // Which one it was is found by halves: a broker may take less than this process knows of.
    const middle = Math.ceil(records.length / 2);
    const refused = await appendFitting(log, records.slice(0, middle));
    return [...refused, ...(await appendFitting(log, records.slice(middle)))];
  }
}

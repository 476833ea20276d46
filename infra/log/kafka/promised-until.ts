import type { LogReader } from '../log.ts';
import { readUntil } from '../read-until.ts';
import type { FetchFrom } from './connection.ts';
import type { PointReads } from './point-reads.ts';
import { decodeWatermarks, FOLLOW_BACK_MS, WATERMARKS_AT } from './watermark-topic.ts';

/**
 * The highest watermark that was promised of these topics lately; -Infinity when there was none. A writer that takes
 * them over keeps to it, though its clock be behind that of the one before. What was promised longer ago than clocks
 * are apart needs no keeping to.
 */
export async function promisedUntil(
  topics: readonly string[],
  points: PointReads,
  read: (offset: number) => Promise<LogReader>,
): Promise<number> {
  let highest = Number.NEGATIVE_INFINITY;
  const last = await points.last(WATERMARKS_AT);
  const offset = await points.offsetAt(WATERMARKS_AT, Date.now() - FOLLOW_BACK_MS);
  if (!last || offset > last.offset) return highest;
  const covered = new Set(topics);
  const log = { reader: ([from]: readonly FetchFrom[]) => read(from!.offset), last: points.last };
  for await (const records of readUntil(log, WATERMARKS_AT, { from: offset, last: last.offset })) {
    for (const { value } of records) {
      if (!value) continue;
      for (const { topic, watermark } of decodeWatermarks(value).promises)
        if (covered.has(topic)) highest = Math.max(highest, watermark);
    }
  }
  return highest;
}

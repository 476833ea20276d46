import type { LogReader } from '../log.ts';
import { readUntil } from '../read-until.ts';
import type { FetchFrom } from './connection.ts';
import type { PointReads } from './point-reads.ts';
import { decodeWatermarks, FOLLOW_BACK_MS, WATERMARKS_AT } from './watermark-topic.ts';

/**
 * Reads the highest watermark that was promised lately for these topics; -Infinity if there was none. The next writer
 * must respect it, even if its clock is behind that of the previous one. Promises older than the maximum clock
 * difference are irrelevant.
 */
export async function readPromisedUntil(
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

import { LogError, type LogReader } from '../log.ts';
import type { PointReads } from './point-reads.ts';
import { decodeWatermarks, FOLLOW_BACK_MS, WATERMARKS_AT } from './watermark-topic.ts';

const POLL_RECORDS = 1_024;
const POLL_TIMEOUT_MS = 1_000;
const READ_FOR_MS = 30_000;

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
  const deadline = Date.now() + READ_FOR_MS;
  const reader = await read(offset);
  try {
    for (let reached = -1; reached < last.offset; ) {
      if (Date.now() > deadline) throw new LogError('log_unavailable', 'Kafka: watermarks cannot be read');
      const { records } = await reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
      for (const { offset: at, value } of records) {
        reached = at;
        if (!value) continue;
        for (const { topic, watermark } of decodeWatermarks(value).promises)
          if (covered.has(topic)) highest = Math.max(highest, watermark);
      }
    }
    return highest;
  } finally {
    await reader.close();
  }
}

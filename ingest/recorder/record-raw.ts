/** Writes the raw records of a log into a recording, in the order in which they were received. */
import type { Codec } from '#infra/codec/codec';
import type { EventLog, LogRecord, TopicPartition, Watermark } from '#infra/log/log';
import { partitionName } from '#infra/log/partition-name';
import { MergedInput } from '#infra/stages/merge';
import { clockTopic } from '#schemas/topics/control';
import { feedTopics, rawTopics } from '#schemas/topics/raw';
import type { Topic } from '#schemas/topics/topic';
import type { RawRecord, RecordingWriter } from './write-recording.ts';

const POLL_RECORDS = 2_048;
const POLL_TIMEOUT_MS = 250;
/** The topics that a recording contains, by name. */
export const RECORDABLE_TOPICS: ReadonlyMap<string, Topic<RawRecord>> = new Map(
  [...rawTopics.values(), ...Object.values(feedTopics)].map((topic) => [topic.name, topic as Topic<RawRecord>]),
);
const CLOCK_AT = { topic: clockTopic.name, partition: 0 };

export interface RecordRawOptions {
  readonly log: Pick<EventLog, 'reader' | 'last'>;
  readonly codec: Pick<Codec, 'decode'>;
  readonly writer: Pick<RecordingWriter, 'write'>;
  /** Partitions of recordable topics, and the first offset of each. */
  readonly from: readonly (TopicPartition & { readonly offset: number })[];
  /** `end`: stops at the records that the log holds at the start. `signal`: stops when the signal aborts. */
  readonly until: 'end' | 'signal';
  readonly signal: AbortSignal;
  /** True if readers of the log get watermarks. An embedded log has them only in the writer's process. */
  readonly hasWatermarks: boolean;
}

/**
 * Resolves at the end, when every record that was read is written. Rejects with errors of the log or the writer. The
 * caller prepares the codec, and opens and closes log and writer.
 */
export async function recordRaw(options: RecordRawOptions): Promise<void> {
  const { log, from, until, signal } = options;
  const reader = await log.reader(from);
  try {
    const merged = new MergedInput(from, (at, paused) => reader.pause(at, paused));
    const progress = new Progress(from);
    const ends = until === 'end' ? await endsOf(log, from) : null;
    if (ends) for (const at of from) if (progress.hasReached(at, ends)) merged.finish(at);
    while (!signal.aborted && !(ends && from.every((at) => progress.hasReached(at, ends)))) {
      const { records, watermarks } = await reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
      progress.read(records);
      // Records after the end may be older than records already written from a partition that is finished.
      const selected = ends
        ? records.filter((record) => record.offset <= (ends.get(partitionName(record)) ?? -1))
        : records;
      merged.push({ records: selected, watermarks: options.hasWatermarks ? watermarks : [] });
      if (ends) for (const at of from) if (progress.hasReached(at, ends)) merged.finish(at);
      if (!ends && !options.hasWatermarks)
        merged.push({ records: [], watermarks: await inferWatermarks(options, progress) });
      await write(merged, options);
    }
    for (const at of from) merged.finish(at);
    await write(merged, options);
  } finally {
    await reader.close();
  }
}

/**
 * Infers watermarks for a log without them. Ingest appends in the order of event time over all its partitions: once the
 * newest record is from M, everything older is in the log. A partition that is read to its end at that moment, or further,
 * yields nothing older than M.
 */
async function inferWatermarks({ log, from }: RecordRawOptions, progress: Progress): Promise<Watermark[]> {
  const newest = await Promise.all([CLOCK_AT, ...from].map((at) => log.last(at)));
  const watermark = newest.reduce((latest, record) => Math.max(latest, record?.receivedAt ?? 0), 0);
  // Read after the newest time is known, so that no end is before it.
  const ends = await endsOf(log, from);
  return from.filter((at) => progress.hasReached(at, ends)).map((at) => ({ ...at, watermark }));
}

/** Offset of the last record of each partition that holds any. */
async function endsOf(log: RecordRawOptions['log'], from: readonly TopicPartition[]): Promise<Map<string, number>> {
  const lasts = await Promise.all(from.map((at) => log.last(at)));
  return new Map(lasts.flatMap((last) => (last ? [[partitionName(last), last.offset] as const] : [])));
}

/** Read position of each partition. */
class Progress {
  /** Next offset, by partition. */
  private readonly next: Map<string, number>;

  constructor(from: RecordRawOptions['from']) {
    this.next = new Map(from.map((at) => [partitionName(at), at.offset]));
  }

  read(records: readonly LogRecord[]): void {
    for (const record of records) this.next.set(partitionName(record), record.offset + 1);
  }

  /** True if a partition is read up to its end in `ends`. */
  hasReached(at: TopicPartition, ends: ReadonlyMap<string, number>): boolean {
    const name = partitionName(at);
    return this.next.get(name)! > (ends.get(name) ?? -1);
  }
}

async function write(merged: MergedInput, { codec, writer }: RecordRawOptions): Promise<void> {
  for (;;) {
    const ready: RawRecord[] = [];
    const count = merged.consume(POLL_RECORDS, ({ topic, value }) => {
      if (value) ready.push(codec.decode(RECORDABLE_TOPICS.get(topic)!, value));
    });
    if (count === 0) return;
    await writer.write(ready);
  }
}

/** Helpers for the tests of the suite. */
import { randomUUID } from 'node:crypto';
import type { Retention } from '#schemas/topics/topic';
import type { AppendRecord, EventLog, LogReader, LogRecord, TopicPartition, Watermark } from '../log.ts';
import { recordOf } from './records.fixture.ts';

/** Differences that are allowed between adapters. */
export interface LogCapabilities {
  /** True if `maintain` removes records and returns their number; false if a broker does it in its own time. */
  readonly maintains: boolean;
  /** True if `append` accepts the whole batch or nothing, even if one of its partitions does not exist. */
  readonly atomic: boolean;
  /** True if the offsets continue after `clearTopic` instead of starting over. */
  readonly offsetsContinue?: boolean;
  /** Maximum duration of anything that the tests await, ms. */
  readonly timeoutMs: number;
}

export interface OpenedLog {
  readonly log: EventLog;
  /** Closes the log and opens it again over the same data. */
  reopen(): Promise<EventLog>;
  /** Closes the log and cleans up. */
  dispose(): Promise<void>;
}

/** The log under test with helpers. */
export interface LogUnderTest extends LogCapabilities {
  /** The currently opened log. */
  log(): EventLog;
  reopen(): Promise<void>;
  /** Creates a topic under a new name and returns the name. */
  topic(partitions?: number, retention?: Retention): Promise<string>;
  /** Appends records to a partition with `seq` from `from` upwards, and returns them. */
  fill(at: TopicPartition, count: number, from?: number): Promise<AppendRecord[]>;
  /** Polls until `count` records have arrived. */
  pollRecords(
    reader: LogReader,
    count: number,
    maxRecords?: number,
  ): Promise<{ records: LogRecord[]; watermarks: Watermark[] }>;
  /** Returns every record that a partition holds. */
  readAll(at: TopicPartition): Promise<LogRecord[]>;
}

export function underTest(
  capabilities: LogCapabilities,
  log: () => EventLog,
  reopen: () => Promise<void>,
): LogUnderTest {
  const { timeoutMs } = capabilities;
  const pollRecords: LogUnderTest['pollRecords'] = async (reader, count, maxRecords = 1_000) => {
    const records: LogRecord[] = [];
    const watermarks: Watermark[] = [];
    const deadline = Date.now() + timeoutMs;
    while (records.length < count) {
      if (Date.now() > deadline) throw new Error(`${records.length} of ${count} records arrived in ${timeoutMs} ms`);
      const batch = await reader.poll(Math.min(maxRecords, count - records.length), 500);
      records.push(...batch.records);
      watermarks.push(...batch.watermarks);
    }
    return { records, watermarks };
  };
  return {
    ...capabilities,
    log,
    reopen,
    pollRecords,
    async topic(partitions = 1, retention = { kind: 'raw' }) {
      const name = `conformance.${randomUUID().slice(0, 8)}`;
      await log().createTopics([{ name, partitions, retention }]);
      return name;
    },
    async fill(at, count, from = 1) {
      const records = Array.from({ length: count }, (_, index) => recordOf(at, from + index));
      await log().append(records);
      return records;
    },
    async readAll(at) {
      const last = await log().last(at);
      if (!last) return [];
      const { first } = await log().bounds(at);
      const reader = await log().reader([{ ...at, offset: first }]);
      try {
        const records: LogRecord[] = [];
        const deadline = Date.now() + timeoutMs;
        while ((records.at(-1)?.offset ?? -1) < last.offset) {
          if (Date.now() > deadline) throw new Error(`${at.topic} was not read to offset ${last.offset}`);
          records.push(...(await reader.poll(1_000, 500)).records);
        }
        return records;
      } finally {
        await reader.close();
      }
    },
  };
}

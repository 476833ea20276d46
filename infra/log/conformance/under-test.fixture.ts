/** What the tests of the suite work with. */
import { randomUUID } from 'node:crypto';
import type { Retention } from '#schemas/topics/topic';
import type { AppendRecord, EventLog, LogReader, LogRecord, TopicPartition, Watermark } from '../log.ts';
import { recordOf } from './records.fixture.ts';

/** In what adapters may differ. */
export interface LogCapabilities {
  /** `maintain` removes what has to go and says how much; false where a broker does it in its own time. */
  readonly maintains: boolean;
  /** `append` takes the whole batch or nothing, also when one of its partitions does not exist. */
  readonly atomic: boolean;
  /** After `clearTopic` the offsets go on where they were instead of starting over. */
  readonly offsetsGoOn?: boolean;
  /** Longest that anything expected to happen may take, ms. */
  readonly patienceMs: number;
}

export interface OpenedLog {
  readonly log: EventLog;
  /** Closes the log and opens it again over the same data. */
  reopen(): Promise<EventLog>;
  /** Closes it for good and cleans up. */
  dispose(): Promise<void>;
}

/** What the tests work with. */
export interface LogUnderTest extends LogCapabilities {
  /** The log as it is opened now. */
  log(): EventLog;
  reopen(): Promise<void>;
  /** Makes a topic under a new name and gives the name. */
  topic(partitions?: number, retention?: Retention): Promise<string>;
  /** Makes records for a partition with `seq` from `from` on, and appends them. */
  fill(at: TopicPartition, count: number, from?: number): Promise<AppendRecord[]>;
  /** Polls until `count` records have come. */
  take(
    reader: LogReader,
    count: number,
    maxRecords?: number,
  ): Promise<{ records: LogRecord[]; watermarks: Watermark[] }>;
  /** Every record that a partition holds. */
  readAll(at: TopicPartition): Promise<LogRecord[]>;
}

export function underTest(
  capabilities: LogCapabilities,
  log: () => EventLog,
  reopen: () => Promise<void>,
): LogUnderTest {
  const { patienceMs } = capabilities;
  const take: LogUnderTest['take'] = async (reader, count, maxRecords = 1_000) => {
    const records: LogRecord[] = [];
    const watermarks: Watermark[] = [];
    const deadline = Date.now() + patienceMs;
    while (records.length < count) {
      if (Date.now() > deadline) throw new Error(`${records.length} of ${count} records came in ${patienceMs} ms`);
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
    take,
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
        const deadline = Date.now() + patienceMs;
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

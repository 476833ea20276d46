/** Opens a log with a codec in a temporary folder, and topics of numbers, for tests of stages. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { type Infer, integer, record, text } from '#schemas/avro';
import { defineTopic, type Retention, type Topic } from '#schemas/topics/topic';
import type { Codec } from '../../codec/codec.ts';
import { createCodec } from '../../codec/create-codec.ts';
import { openLogRegistry } from '../../codec/log-registry.ts';
import { openEmbeddedLog } from '../../log/embedded/open-embedded-log.ts';
import type { AppendRecord, EventLog } from '../../log/log.ts';
import { readPartition } from '../../log/read-partition.ts';

const number = record('TestNumber', 'A number.', {
  receivedAt: integer('When.'),
  value: integer('The number.'),
  word: text('A word.'),
});
export type TestNumber = Infer<typeof number>;

export function numberTopic(
  name: string,
  partitions = 1,
  retention: Retention = { kind: 'derived' },
): Topic<TestNumber> {
  return defineTopic({ name, description: name, key: 'word', partitions, retention, schema: number });
}

/** A line that was logged, as pino writes it. */
export interface Logged {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export interface NumbersFixture {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly logged: Logged[];
  /** Makes a record; partition 0 by default. */
  record(topic: Topic<TestNumber>, seq: number, value: TestNumber, partition?: number): AppendRecord;
  /** Returns every value of partition 0 with its `seq`. */
  values(topic: Topic<TestNumber>): Promise<[seq: number, value: TestNumber][]>;
  /** Removes records appended before a wall time, if the topic's retention allows it. */
  trim(before: number): Promise<void>;
  close(): Promise<void>;
}

export async function openNumbers(topics: readonly Topic<TestNumber>[]): Promise<NumbersFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-stage-'));
  const log = await openEmbeddedLog({ path: folder });
  await log.createTopics(topics);
  const codec = createCodec(await openLogRegistry(log));
  await codec.prepare(topics);
  const logged: Logged[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line) as Logged) });
  return {
    log,
    codec,
    logger,
    logged,
    record: (topic, seq, value, partition = 0) => ({
      topic: topic.name,
      partition,
      key: value.word,
      value: codec.encode(topic, value),
      receivedAt: value.receivedAt,
      seq,
    }),
    async values(topic) {
      const found: [number, TestNumber][] = [];
      await readPartition(log, { topic: topic.name, partition: 0 }, ({ seq, value }) => {
        if (value) found.push([seq, codec.decode(topic, value)]);
      });
      return found;
    },
    async trim(before) {
      await log.maintain(before + 1_000, { rawMaxAgeMs: 1_000, rawMaxBytes: 1e12 });
    },
    async close() {
      await log.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Wraps a log so that appends fail while `fails` returns an error. */
export function failingAppends(log: EventLog, fails: (records: readonly AppendRecord[]) => Error | null): EventLog {
  return new Proxy(log, {
    get(target, name) {
      if (name === 'append')
        return async (records: readonly AppendRecord[]) => {
          const error = fails(records);
          if (error) throw error;
          return target.append(records);
        };
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

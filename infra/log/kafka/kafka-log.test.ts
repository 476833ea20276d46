import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backoff } from '../../runtime/retry.ts';
import { type KafkaService, servicesMissing, startKafka } from '../../testing/services.ts';
import { describeEventLog } from '../conformance/event-log.fixture.ts';
import { recordOf } from '../conformance/records.fixture.ts';
import { type AppendRecord, type EventLog, LogError, type LogReader, type LogRecord, type ReadBatch } from '../log.ts';
import { openKafkaLog } from './open-kafka-log.ts';

const TIMEOUT_MS = 30_000;
const missing = servicesMissing();

describe.skipIf(missing !== null)(missing ?? 'with a real broker', () => {
  let kafka: KafkaService;
  beforeAll(async () => {
    kafka = await startKafka();
  });
  afterAll(() => kafka?.stop());

  describeEventLog(
    'kafka',
    async () => {
      const open = () => openKafkaLog({ brokers: kafka.brokers });
      let log = await open();
      return {
        log,
        async reopen() {
          await log.close();
          log = await open();
          return log;
        },
        dispose: () => log.close(),
      };
    },
    { maintains: false, atomic: false, offsetsContinue: true, timeoutMs: TIMEOUT_MS },
  );

  describe('the Kafka log', { timeout: 90_000 }, () => {
    const logs: EventLog[] = [];
    const open = async (options: Partial<Parameters<typeof openKafkaLog>[0]> = {}) => {
      const log = await openKafkaLog({ brokers: kafka.brokers, ...options });
      logs.push(log);
      return log;
    };
    const topicOf = async (log: EventLog, partitions = 1) => {
      const name = `kafka.${randomUUID().slice(0, 8)}`;
      await log.createTopics([{ name, partitions, retention: { kind: 'raw' } }]);
      return name;
    };
    afterAll(() => Promise.all(logs.map((log) => log.close())));

    it('delivers watermarks to the readers of another process, not before their records', async () => {
      const [writer, other] = [await open(), await open()];
      const at = { topic: await topicOf(writer), partition: 0 };
      const reader = await other.reader([{ ...at, offset: 0 }]);
      for (let seq = 1; seq <= 200; seq += 1) {
        const record = recordOf(at, seq);
        await writer.append([record]);
        writer.advance([{ ...at, watermark: record.receivedAt + 1 }]);
      }
      const end = recordOf(at, 200).receivedAt + 1;
      let [seen, watermark] = [0, Number.NEGATIVE_INFINITY];
      await polling(reader, (batch) => {
        for (const record of batch.records) {
          expect(record.receivedAt).toBeGreaterThanOrEqual(watermark);
          seen = record.seq;
        }
        for (const mark of batch.watermarks) watermark = Math.max(watermark, mark.watermark);
        return watermark >= end;
      });
      expect(seen).toBe(200);
    });

    it('queries many partitions at once', async () => {
      const log = await open();
      const topic = await topicOf(log, 100);
      const partitions = Array.from({ length: 100 }, (_, partition) => ({ topic, partition }));
      await log.append(partitions.flatMap((at) => [1, 2, 3].map((seq) => recordOf(at, seq + at.partition))));
      const last = await Promise.all(partitions.map((at) => log.last(at)));
      expect(last.map((record) => record?.seq)).toEqual(partitions.map(({ partition }) => partition + 3));
      const bounds = await Promise.all(partitions.map((at) => log.bounds(at)));
      expect(bounds).toEqual(partitions.map(() => ({ first: 0, next: 3 })));
    });

    it('returns the last records of many partitions that exceed one answer', async () => {
      const log = await open();
      const topic = await topicOf(log, 50);
      const partitions = Array.from({ length: 50 }, (_, partition) => ({ topic, partition }));
      const large = Buffer.alloc(700 * 1024);
      for (const at of partitions) await log.append([{ ...recordOf(at, at.partition + 1), value: large }]);
      const last = await Promise.all(partitions.map((at) => log.last(at)));
      expect(last.map((record) => record?.seq)).toEqual(partitions.map(({ partition }) => partition + 1));
    });

    it('does not delay partitions by a paused one, however much that holds', async () => {
      const log = await open();
      const topic = await topicOf(log, 2);
      const [full, quiet] = [0, 1].map((partition) => ({ topic, partition }));
      const large = Buffer.alloc(700 * 1024);
      for (let seq = 1; seq <= 60; seq += 1) await log.append([{ ...recordOf(full!, seq), value: large }]);
      const reader = await log.reader([full!, quiet!].map((at) => ({ ...at, offset: 0 })));
      expect((await reader.poll(1, TIMEOUT_MS)).records).toMatchObject([{ seq: 1 }]);
      reader.pause(full!, true);
      await log.append([recordOf(quiet!, 1)]);
      expect(await gather(reader, 1, false)).toMatchObject([{ ...quiet, seq: 1 }]);
      reader.pause(full!, false);
      const rest = await gather(reader, 59);
      expect(rest.map(({ seq }) => seq)).toEqual(Array.from({ length: 59 }, (_, index) => index + 2));
    });

    it('moves a reader whose records were removed to the first stored one', async () => {
      const log = await open();
      const at = { topic: await topicOf(log), partition: 0 };
      await log.append([1, 2, 3].map((seq) => recordOf(at, seq)));
      await log.clearTopic(at.topic);
      await log.append([4, 5].map((seq) => recordOf(at, seq)));
      const reader = await log.reader([{ ...at, offset: 0 }]);
      expect((await gather(reader, 2)).map(({ seq }) => seq)).toEqual([4, 5]);
    });

    // In this way the runbook lets the sink insert its rows again.
    it('reads from the first stored record again in a group that was deleted', async () => {
      const log = await open();
      const at = { topic: await topicOf(log), partition: 0 };
      const group = `deleted-${at.topic}`;
      await log.append([1, 2].map((seq) => recordOf(at, seq)));
      await log.clearTopic(at.topic);
      await log.append([3, 4].map((seq) => recordOf(at, seq)));
      const readBoth = async () => {
        const member = await log.group(group, [at.topic]);
        const records = await gatherDistinct(() => member.poll(10, 500), 2);
        await member.commit([{ ...at, offset: records.at(-1)!.offset + 1 }]);
        await member.close();
        return records.map(({ seq }) => seq);
      };
      expect(await readBoth()).toEqual([3, 4]);
      await admin((connected) => connected.deleteGroups([group]));
      expect(await readBoth()).toEqual([3, 4]);
    });

    it('reads across compacted records', async () => {
      const log = await open();
      const at = { topic: `kafka.${randomUUID().slice(0, 8)}`, partition: 0 };
      await createEagerlyCompacted(at.topic);
      for (let seq = 1; seq <= 30; seq += 1) await log.append([recordOf(at, seq, `key-${seq % 3}`)]);
      for (let seq = 31; seq <= 40; seq += 1) await log.append([{ ...recordOf(at, seq, 'gone'), value: null }]);
      // The broker compacts in its own time, and never the active segment: this append makes it roll.
      let left: LogRecord[] = [];
      for (let seq = 41; left.length === 0 || left.length > 6; seq += 1) {
        await log.append([recordOf(at, seq, 'roll')]);
        await backoff(2);
        left = await readToEnd(log, at);
        if (seq > 120) throw new Error(`not compacted: ${left.map((record) => record.seq).join(' ')}`);
      }
      expect(left.slice(0, 3).map(({ seq }) => seq)).toEqual([28, 29, 30]);
      expect((await log.last(at))?.seq).toBe(left.at(-1)!.seq);
    });

    it('applies a changed retention, and leaves settings of an operator', async () => {
      const name = await topicOf(await open({ rawMaxAgeMs: 3_600_000 }));
      await configure(name, [
        { name: 'retention.ms', value: '3600000' },
        { name: 'min.insync.replicas', value: '1' },
        { name: 'segment.bytes', value: '2097152' },
      ]);
      const log = await open({ rawMaxAgeMs: 7_200_000 });
      await log.createTopics([{ name, partitions: 1, retention: { kind: 'raw' } }]);
      const configs = await configsOf(name);
      expect(configs.get('retention.ms')).toBe('7200000');
      expect(configs.get('segment.bytes')).toBe('2097152');
    });

    it('refuses a record that is too large, and accepts the next', async () => {
      const log = await open();
      const at = { topic: await topicOf(log), partition: 0 };
      const large = { ...recordOf(at, 1), value: Buffer.alloc(8 * 1024 * 1024) };
      await expect(log.append([large])).rejects.toMatchObject({ code: 'log_too_large', canRetry: false });
      await log.append([{ ...recordOf(at, 1), value: Buffer.alloc(7 * 1024 * 1024) }, recordOf(at, 2)]);
      expect((await readToEnd(log, at)).map(({ seq, value }) => [seq, value!.length])).toEqual([
        [1, 7 * 1024 * 1024],
        [2, 3],
      ]);
    });

    it('rejects if no broker answers', async () => {
      await expect(openKafkaLog({ brokers: ['127.0.0.1:1'] })).rejects.toMatchObject({
        name: 'LogError',
        code: 'log_unavailable',
        canRetry: true,
      });
    });

    it('loses and reorders nothing that was acknowledged when the broker is killed and comes back', async () => {
      const log = await open();
      const topic = await topicOf(log, 3);
      const partitions = [0, 1, 2].map((partition) => ({ topic, partition }));
      const reader = await log.reader(partitions.map((at) => ({ ...at, offset: 0 })));
      const member = await log.group(`kill-${topic}`, [topic]);
      const acknowledged: AppendRecord[] = [];
      let restarted = false;
      const write = async () => {
        for (let seq = 1; !restarted || seq % 100 !== 0; seq += 1) {
          const batch = partitions.map((at) => recordOf(at, seq));
          await appendUntilAccepted(log, batch);
          acknowledged.push(...batch);
        }
        const tail = partitions.map((at) => recordOf(at, 1_000_000));
        await appendUntilAccepted(log, tail);
        acknowledged.push(...tail);
      };
      const writing = write();
      await until(() => acknowledged.length >= 300);
      await kafka.kill();
      await kafka.restart();
      restarted = true;
      await writing;

      const wanted = acknowledged.length;
      expect(withoutRepeats(await gatherDistinct(async () => (await reader.poll(1_000, 500)).records, wanted))).toEqual(
        bySeq(acknowledged),
      );
      expect(withoutRepeats(await gatherDistinct(() => member.poll(1_000, 500), wanted))).toEqual(bySeq(acknowledged));
    });
  });

  const admin = async <T>(work: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> => {
    const connected = new Kafka({ brokers: [...kafka.brokers], logLevel: logLevel.NOTHING }).admin();
    await connected.connect();
    try {
      return await work(connected);
    } finally {
      await connected.disconnect();
    }
  };
  const TOPIC_RESOURCE = 2;

  const createEagerlyCompacted = (topic: string) =>
    admin((connected) =>
      connected.createTopics({
        topics: [
          {
            topic,
            numPartitions: 1,
            configEntries: [
              { name: 'cleanup.policy', value: 'compact' },
              { name: 'segment.ms', value: '100' },
              { name: 'min.cleanable.dirty.ratio', value: '0.01' },
              { name: 'delete.retention.ms', value: '0' },
            ],
          },
        ],
      }),
    );
  const configure = (name: string, configEntries: { name: string; value: string }[]) =>
    admin((connected) =>
      connected.alterConfigs({ validateOnly: false, resources: [{ type: TOPIC_RESOURCE, name, configEntries }] }),
    );
  const configsOf = (name: string) =>
    admin(async (connected) => {
      const { resources } = await connected.describeConfigs({
        includeSynonyms: false,
        resources: [{ type: TOPIC_RESOURCE, name }],
      });
      return new Map(resources[0]!.configEntries.map(({ configName, configValue }) => [configName, configValue]));
    });
});

async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`not so after ${TIMEOUT_MS} ms`);
    await backoff(0);
  }
}

async function polling(reader: LogReader, take: (batch: ReadBatch) => boolean): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!take(await reader.poll(1_000, 500)))
    if (Date.now() > deadline) throw new Error(`not so after ${TIMEOUT_MS} ms`);
}

async function gather(reader: LogReader, count: number, close = true): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  await polling(reader, (batch) => {
    records.push(...batch.records);
    return records.length >= count;
  });
  if (close) await reader.close();
  return records;
}

async function readToEnd(log: EventLog, at: { topic: string; partition: number }): Promise<LogRecord[]> {
  const last = await log.last(at);
  if (!last) return [];
  const records: LogRecord[] = [];
  const { first } = await log.bounds(at);
  const reader = await log.reader([{ ...at, offset: first }]);
  await polling(reader, (batch) => {
    records.push(...batch.records);
    return (records.at(-1)?.offset ?? -1) >= last.offset;
  });
  await reader.close();
  return records;
}

/** Retries the same batch like every writer. */
async function appendUntilAccepted(log: EventLog, batch: readonly AppendRecord[]): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await log.append(batch);
      return;
    } catch (error) {
      if (!(error instanceof LogError) || !error.canRetry || attempt > 20) throw error;
      await backoff(attempt);
    }
  }
}

const bySeq = (records: readonly AppendRecord[]) =>
  [0, 1, 2].map((partition) => records.filter((record) => record.partition === partition).map(({ seq }) => seq));

/** The `seq` values of each partition as a reader counts them: one at or below the previous newest is a repeat. */
function withoutRepeats(records: readonly LogRecord[]): number[][] {
  return bySeq(records).map((seqs) => {
    const rising: number[] = [];
    for (const seq of seqs) if (seq > (rising.at(-1) ?? 0)) rising.push(seq);
    return rising;
  });
}

/** Polls until this many different records have arrived. */
async function gatherDistinct(poll: () => Promise<readonly LogRecord[]>, count: number): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  const distinct = new Set<string>();
  const deadline = Date.now() + TIMEOUT_MS;
  while (distinct.size < count) {
    if (Date.now() > deadline) throw new Error(`${distinct.size} of ${count} records came`);
    for (const record of await poll()) {
      records.push(record);
      distinct.add(`${record.partition}:${record.seq}`);
    }
  }
  return records;
}

/** The context of the ingest role, over an embedded log in a folder of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCodec } from '#infra/codec/create-codec';
import { openLogRegistry } from '#infra/codec/log-registry';
import { loadSettings } from '#infra/config/settings';
import { openEmbeddedLog } from '#infra/log/embedded/open-embedded-log';
import type { LogRecord } from '#infra/log/log';
import { readPartition } from '#infra/log/read-partition';
import type { RoleContext } from '#infra/runtime/context';
import { createHealth } from '#infra/telemetry/health';
import { createMetrics } from '#infra/telemetry/metrics';
import type { Venue } from '#schemas/domain/providers';
import { feedTopics, type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import type { Topic } from '#schemas/topics/topic';
import type { StreamOf } from '#schemas/venues/streams';
import { silentLogger } from './open-publisher.fixture.ts';

export interface TestRole {
  readonly context: RoleContext;
  /** Every record of a topic, partition by partition. */
  records(topic: Topic<never>): Promise<LogRecord[]>;
  /** Raw records of a stream in the order of time. */
  raw<V extends Venue>(venue: V, stream: StreamOf<V>): Promise<RawEnvelope[]>;
  /** Kinds of the events of a feed. */
  feedKinds(venue: Venue, feed: string): Promise<string[]>;
  /** Closes the log. The folder can be opened again. */
  close(): Promise<void>;
}

export async function testFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'ingest-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

export async function openTestRole(folder: string, environment: Record<string, string>): Promise<TestRole> {
  const log = await openEmbeddedLog({ path: join(folder, 'log') });
  const codec = createCodec(await openLogRegistry(log));
  const context: RoleContext = {
    settings: loadSettings([], environment),
    log,
    codec,
    // Ingest does not use the store.
    store: null as never,
    logger: silentLogger,
    metrics: createMetrics(),
    health: createHealth(),
  };
  const records = async (topic: Topic<never>) => {
    const found: LogRecord[] = [];
    for (let partition = 0; partition < topic.partitions; partition += 1)
      await readPartition(log, { topic: topic.name, partition }, (record) => void found.push(record));
    return found;
  };
  return {
    context,
    records,
    raw: async (venue, stream) => {
      const topic = rawTopic(venue, stream);
      const found = await records(topic as Topic<never>);
      return found.map((record) => codec.decode(topic, record.value!)).sort((a, b) => a.receivedAt - b.receivedAt);
    },
    feedKinds: async (venue, feed) => {
      const topic = feedTopics[venue];
      const found = (await records(topic as Topic<never>)).map((record) => codec.decode(topic, record.value!));
      return found.filter((event) => event.feed === feed).map((event) => event.kind);
    },
    close: () => log.close(),
  };
}

/** A publisher over a log in memory, with everything that it reported. */
import { pino } from 'pino';
import { createCodec } from '#infra/codec/create-codec';
import type { SchemaRegistry } from '#infra/codec/registry';
import { createMetrics } from '#infra/telemetry/metrics';
import type { Venue } from '#schemas/domain/providers';
import { type ClockMark, clockTopic } from '#schemas/topics/control';
import type { FeedEvent, RawEnvelope } from '#schemas/topics/raw';
import { feedTopics, rawTopic } from '#schemas/topics/raw';
import type { StreamOf } from '#schemas/venues/streams';
import { openPublisher } from '../publisher/open-publisher.ts';
import type { PublisherOptions } from '../publisher/publisher.ts';
import { MemoryLog } from './memory-log.fixture.ts';

export const silentLogger = pino({ level: 'silent' });

/** Ids in the order of registration, equal in every process that registers the same schemas. */
function memoryRegistry(): SchemaRegistry {
  const schemas: string[] = [];
  return {
    register: async (_subject, schema) => {
      if (!schemas.includes(schema)) schemas.push(schema);
      return schemas.indexOf(schema) + 1;
    },
    fetch: async (id) => schemas[id - 1]!,
  };
}

/** A codec with a registry in memory. */
export const memoryCodec = () => createCodec(memoryRegistry());

export async function openTestPublisher(options: Partial<PublisherOptions> & { log?: MemoryLog } = {}) {
  const log = options.log ?? new MemoryLog();
  const codec = memoryCodec();
  const logStatuses: (string | null)[] = [];
  const failures: Error[] = [];
  const metrics = createMetrics();
  const publisher = await openPublisher({
    codec,
    logger: silentLogger,
    metrics,
    time: 'live',
    // If a test sets the time, monotonic time stands still.
    ...(options.now ? { monotonicNow: () => 0 } : {}),
    onLogStatus: (error) => void logStatuses.push(error?.code ?? null),
    onFailure: (error) => void failures.push(error),
    ...options,
    log,
  });
  return {
    log,
    codec,
    metrics,
    publisher,
    logStatuses,
    failures,
    /** Envelopes of a raw topic, in merged order. */
    raw: <V extends Venue>(venue: V, stream: StreamOf<V>): RawEnvelope[] => {
      const topic = rawTopic(venue, stream);
      return log.of(topic.name).map((record) => codec.decode(topic, record.value!));
    },
    /** Payloads of a raw topic as text, in merged order. */
    payloads: <V extends Venue>(venue: V, stream: StreamOf<V>): string[] => {
      const topic = rawTopic(venue, stream);
      return log.of(topic.name).map((record) => codec.decode(topic, record.value!).payload.toString());
    },
    marks: (): ClockMark[] => log.of(clockTopic.name).map((record) => codec.decode(clockTopic, record.value!)),
    feeds: (venue: Venue): FeedEvent[] =>
      log.of(feedTopics[venue].name).map((record) => codec.decode(feedTopics[venue], record.value!)),
  };
}

/** Polls until `condition` holds; fails after `withinMs`. */
export async function until(condition: () => boolean, withinMs = 10_000, what = condition.toString()): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

import type { Logger } from 'pino';
import { backoff } from '../../runtime/retry.ts';
import { LogError, type LogRecord, type TopicPartition } from '../log.ts';
import { partitionName } from '../partition-name.ts';
import { RECORD_BYTES_MAX } from '../record-size.ts';
import { coalesce } from './coalesce.ts';
import { Connection, type Fetched, type FetchFrom } from './connection.ts';
import { toLogError } from './errors.ts';
import { groupBy } from './group-by.ts';
import { type Cluster, type KafkaClient, type OffsetQuery, type RawRecord, storedPartitions } from './kafka-client.ts';
import { fromMessage } from './record-mapping.ts';

const ATTEMPTS_MAX = 7;
/** Kafka's constants for a coordinator of consumer groups, and for a partition without a committed offset. */
const GROUP_COORDINATOR = 0;
const NOTHING_COMMITTED = -1;
const FETCH_BYTES = 32 * 1024 * 1024;
/** A broker returns the first batch of a fetch whatever its size. */
const FIRST_BATCH_BYTES = 1;

export interface Bounds {
  readonly first: number;
  readonly next: number;
}

/** Queries about single offsets of partitions, over one shared connection, combined into few requests. */
export class PointReads {
  private readonly connection: Connection;
  private closed = false;
  readonly bounds: (at: TopicPartition) => Promise<Bounds>;
  readonly last: (at: TopicPartition) => Promise<LogRecord | null>;
  readonly recordFrom: (at: FetchFrom) => Promise<LogRecord | null>;

  constructor(client: KafkaClient) {
    this.connection = new Connection(client);
    this.bounds = coalesce((requested) => this.withRetries(requested, (cluster) => boundsOf(cluster, requested)));
    this.last = coalesce((requested) => this.withRetries(requested, (cluster) => this.lastOf(cluster, requested)));
    this.recordFrom = coalesce((requested) =>
      this.withRetries(requested, (cluster) => this.recordsFrom(cluster, requested)),
    );
  }

  async offsetAt(at: TopicPartition, appendedAt: number): Promise<number> {
    const offset = await this.withRetries([at], async (cluster) => {
      const query = { topic: at.topic, partitions: [{ partition: at.partition }], fromTimestamp: appendedAt };
      return (await offsetsOf(cluster, [query])).get(partitionName(at))!;
    });
    return offset >= 0 ? offset : (await this.bounds(at)).next;
  }

  /** Returns the next offset to read of each partition for a group, or null. */
  committed(groupId: string, at: readonly TopicPartition[]): Promise<(number | null)[]> {
    return this.withRetries(at, async (cluster) => {
      const coordinator = await cluster.findGroupCoordinator({ groupId, coordinatorType: GROUP_COORDINATOR });
      const topics = [...groupBy(at, ({ topic }) => topic)].map(([topic, ofTopic]) => ({
        topic,
        partitions: ofTopic.map(({ partition }) => ({ partition })),
      }));
      const { responses } = await coordinator.offsetFetch({ groupId, topics });
      const offsets = offsetsByName(responses);
      return at.map((one) => {
        const offset = offsets.get(partitionName(one)) ?? NOTHING_COMMITTED;
        return offset === NOTHING_COMMITTED ? null : offset;
      });
    });
  }

  /** Bytes that the brokers store of topics, in all copies; null if they do not return that to this client. */
  async storedBytes(topics: Iterable<string>, logger: Logger | undefined): Promise<ReadonlyMap<string, number> | null> {
    try {
      const cluster = await this.connection.open(topics);
      const nodes = cluster.brokerPool.metadata.brokers.map(({ nodeId }) => String(nodeId));
      const bytes = new Map<string, number>();
      for (const nodeId of nodes)
        for (const stored of await storedPartitions(await cluster.findBroker({ nodeId })))
          bytes.set(stored.topic, (bytes.get(stored.topic) ?? 0) + stored.bytes);
      return bytes;
    } catch (error) {
      logger?.debug({ error }, 'the brokers do not return the sizes of topics');
      return null;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.connection.reset();
  }

  private async withRetries<T>(at: readonly TopicPartition[], question: (cluster: Cluster) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      if (this.closed) throw new LogError('log_closed', 'the log was closed');
      try {
        return await question(await this.connection.open(new Set(at.map(({ topic }) => topic))));
      } catch (error) {
        await this.connection.reset();
        // The caller checked that the topics exist: this broker may not know a new one yet.
        if (attempt >= ATTEMPTS_MAX) throw toLogError(error, 'reading offsets');
        await backoff(attempt);
      }
    }
  }

  private async lastOf(cluster: Cluster, requested: readonly TopicPartition[]): Promise<(LogRecord | null)[]> {
    const bounds = await boundsOf(cluster, requested);
    const filled = new Map<string, FetchFrom>();
    for (const [index, at] of requested.entries()) {
      const { first, next } = bounds[index]!;
      if (next > first) filled.set(partitionName(at), { ...at, offset: next - 1 });
    }
    const found = new Map<string, LogRecord>();
    for (const fetched of await this.fetch(cluster, [...filled.values()])) {
      const newest = newestOf(fetched);
      if (newest) found.set(partitionName(fetched), newest);
    }
    // A broker limits the size of one answer: query the missing partitions one by one. Also, Kafka's own records, such
    // as the markers of a lease, may be at the end.
    for (const [index, at] of requested.entries()) {
      if (!filled.has(partitionName(at)) || found.has(partitionName(at))) continue;
      const newest = await this.newestIn(cluster, at, bounds[index]!);
      if (newest) found.set(partitionName(at), newest);
    }
    return requested.map((at) => found.get(partitionName(at)) ?? null);
  }

  /** Searches backwards from the end by growing steps for a record of a writer. */
  private async newestIn(cluster: Cluster, at: TopicPartition, { first, next }: Bounds): Promise<LogRecord | null> {
    for (let step = 1; ; step *= 2) {
      const start = Math.max(first, next - step);
      let newest: LogRecord | null = null;
      for (let offset = start; offset < next; ) {
        const [fetched] = await this.fetch(cluster, [{ ...at, offset }]);
        newest = (fetched && newestOf(fetched, offset)) ?? newest;
        // An answer without records means that the rest was compacted.
        offset = fetched ? endOf(fetched, offset) : next;
      }
      if (newest || start === first) return newest;
    }
  }

  private async recordsFrom(cluster: Cluster, requested: readonly FetchFrom[]): Promise<(LogRecord | null)[]> {
    const bounds = await boundsOf(cluster, requested);
    return Promise.all(requested.map((at, index) => this.oldestIn(cluster, at, bounds[index]!)));
  }

  /** Searches forwards for a record of a writer: Kafka's own records may be at the start. */
  private async oldestIn(cluster: Cluster, at: FetchFrom, { first, next }: Bounds): Promise<LogRecord | null> {
    for (let offset = Math.max(at.offset, first); offset < next; ) {
      const [fetched] = await this.fetch(cluster, [{ ...at, offset }], FIRST_BATCH_BYTES);
      const oldest = fetched && oldestOf(fetched, offset);
      if (oldest) return oldest;
      offset = fetched ? endOf(fetched, offset) : next;
    }
    return null;
  }

  private async fetch(
    cluster: Cluster,
    from: readonly FetchFrom[],
    bytesPerPartition = RECORD_BYTES_MAX,
  ): Promise<Fetched[]> {
    const byLeader = groupBy(from, (at) => leaderOf(cluster, at));
    const limits = { waitMs: 0, bytes: FETCH_BYTES, bytesPerPartition };
    const answers = [...byLeader].map(([leader, at]) => this.connection.fetch(leader, at, limits));
    return (await Promise.all(answers)).flat();
  }
}

/** Returns the node that leads a partition. Throws if there is none now. */
export function leaderOf(cluster: Cluster, { topic, partition }: TopicPartition): string {
  const [leader] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
  if (leader === undefined || leader === '-1')
    throw new LogError('log_unavailable', `Kafka: ${topic}/${partition} has no leader now`);
  return leader;
}

/** Returns the first and next offset of each partition. */
export async function boundsOf(cluster: Cluster, requested: readonly TopicPartition[]): Promise<Bounds[]> {
  const topics = groupBy(requested, ({ topic }) => topic);
  const queries = [...topics].map(([topic, at]) => ({
    topic,
    partitions: [...new Set(at.map(({ partition }) => partition))].map((partition) => ({ partition })),
  }));
  const [firsts, nexts] = await Promise.all([
    offsetsOf(
      cluster,
      queries.map((query) => ({ ...query, fromBeginning: true })),
    ),
    offsetsOf(
      cluster,
      queries.map((query) => ({ ...query, fromBeginning: false })),
    ),
  ]);
  return requested.map((at) => {
    const [first, next] = [firsts.get(partitionName(at)), nexts.get(partitionName(at))];
    if (first === undefined || next === undefined)
      throw new LogError('log_unavailable', `Kafka: ${partitionName(at)} has no leader now`);
    // The start may have moved between the two answers.
    return { first, next: Math.max(first, next) };
  });
}

async function offsetsOf(cluster: Cluster, queries: readonly OffsetQuery[]): Promise<Map<string, number>> {
  return offsetsByName(await cluster.fetchTopicsOffset(queries));
}

type TopicOffsets = Awaited<ReturnType<Cluster['fetchTopicsOffset']>>;

function offsetsByName(answers: TopicOffsets): Map<string, number> {
  return new Map(
    answers.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => [partitionName({ topic, partition }), Number(offset)] as const),
    ),
  );
}

function newestOf({ topic, partition, messages }: Fetched, from = 0): LogRecord | null {
  // A broker returns complete batches, which may start before the requested offset.
  const newest = messages.findLast((message: RawRecord) => !message.isControlRecord && Number(message.offset) >= from);
  return newest ? fromMessage(topic, partition, newest) : null;
}

function oldestOf({ topic, partition, messages }: Fetched, from: number): LogRecord | null {
  const oldest = messages.find((message: RawRecord) => !message.isControlRecord && Number(message.offset) >= from);
  return oldest ? fromMessage(topic, partition, oldest) : null;
}

/** Returns the offset after the last batch of an answer. */
function endOf({ messages, highWatermark }: Fetched, requested: number): number {
  const last = messages.at(-1);
  if (!last) return Number(highWatermark);
  const { firstOffset, lastOffsetDelta } = last.batchContext;
  return Math.max(requested + 1, Number(firstOffset) + lastOffsetDelta + 1);
}

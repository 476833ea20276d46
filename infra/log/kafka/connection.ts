import type { TopicPartition } from '../log.ts';
import type { Broker, Cluster, FetchedPartition, KafkaClient } from './kafka-client.ts';

export interface FetchFrom extends TopicPartition {
  readonly offset: number;
}

export interface FetchLimits {
  /** How long the broker waits for new records. */
  readonly waitMs: number;
  readonly bytes: number;
  readonly bytesPerPartition: number;
}

/** Connections to the leaders of some topics, for fetching. After any failure, call `reset`, then continue. */
export class Connection {
  private readonly client: KafkaClient;
  private readonly topics = new Set<string>();
  private opening: Promise<Cluster> | null = null;

  constructor(client: KafkaClient) {
    this.client = client;
  }

  /** Returns the cluster view, connected and with metadata of the topics. */
  async open(topics: Iterable<string>): Promise<Cluster> {
    const cluster = await this.connected();
    for (const topic of topics) this.topics.add(topic);
    await cluster.addMultipleTargetTopics([...this.topics]);
    return cluster;
  }

  /** Fetches records of these partitions, led by one node, from their offsets on. */
  async fetch(nodeId: string, from: readonly FetchFrom[], limits: FetchLimits): Promise<Fetched[]> {
    const cluster = await this.connected();
    const broker = await cluster.findBroker({ nodeId });
    return fetchFrom(broker, from, limits);
  }

  /** Closes the connections; pending requests fail. */
  async reset(): Promise<void> {
    const opening = this.opening;
    this.opening = null;
    const cluster = await opening?.catch(() => null);
    await cluster?.disconnect();
  }

  private connected(): Promise<Cluster> {
    this.opening ??= this.connect();
    return this.opening;
  }

  private async connect(): Promise<Cluster> {
    const cluster = this.client.cluster();
    try {
      await cluster.connect();
      return cluster;
    } catch (error) {
      await cluster.disconnect();
      throw error;
    }
  }
}

export interface Fetched extends FetchedPartition {
  readonly topic: string;
}

async function fetchFrom(broker: Broker, from: readonly FetchFrom[], limits: FetchLimits): Promise<Fetched[]> {
  const byTopic = new Map<string, { partition: number; fetchOffset: string; maxBytes: number }[]>();
  for (const { topic, partition, offset } of from) {
    const partitions = byTopic.get(topic) ?? [];
    byTopic.set(topic, partitions);
    partitions.push({ partition, fetchOffset: String(offset), maxBytes: limits.bytesPerPartition });
  }
  const { responses } = await broker.fetch({
    isolationLevel: 0,
    maxWaitTime: limits.waitMs,
    minBytes: 1,
    maxBytes: limits.bytes,
    topics: [...byTopic].map(([topic, partitions]) => ({ topic, partitions })),
  });
  return responses.flatMap(({ topicName, partitions }) =>
    partitions.map((partition) => ({ topic: topicName, ...partition })),
  );
}

/** The one place that knows how kafkajs is set up, and the part of its inside that the adapter uses. */
import { createRequire } from 'node:module';
import { Kafka, type LogEntry, logLevel } from 'kafkajs';
import type { Logger } from 'pino';

const CLIENT_ID = 'parallax';
const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 15_000;

/** kafkajs spreads its waits by this factor, so that clients do not come back together. */
export const RETRY = { initialRetryTime: 50, factor: 0.3, multiplier: 2, maxRetryTime: 1_000, retries: 4 } as const;

export interface RawRecord {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, Buffer | string | (Buffer | string)[] | undefined>>;
  readonly isControlRecord: boolean;
  readonly batchContext: { readonly firstOffset: string; readonly lastOffsetDelta: number };
}

export interface FetchedPartition {
  readonly partition: number;
  readonly highWatermark: string;
  readonly messages: readonly RawRecord[];
}

export interface Broker {
  fetch(request: {
    isolationLevel: number;
    maxWaitTime: number;
    minBytes: number;
    maxBytes: number;
    topics: { topic: string; partitions: { partition: number; fetchOffset: string; maxBytes: number }[] }[];
  }): Promise<{ responses: { topicName: string; partitions: FetchedPartition[] }[] }>;
}

export interface OffsetQuery {
  readonly topic: string;
  readonly partitions: readonly { readonly partition: number }[];
  readonly fromBeginning?: boolean;
  /** Unix ms. */
  readonly fromTimestamp?: number;
}

/** kafkajs' view of the brokers: connections, and which of them leads which partition. */
export interface Cluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>;
  findLeaderForPartitions(topic: string, partitions: readonly number[]): Record<string, number[]>;
  findBroker(at: { nodeId: string }): Promise<Broker>;
  fetchTopicsOffset(
    queries: readonly OffsetQuery[],
  ): Promise<{ topic: string; partitions: { partition: number; offset: string }[] }[]>;
}

export interface KafkaClient {
  readonly kafka: Kafka;
  /** A cluster view with connections of its own: a waiting fetch holds up whatever else is asked on a connection. */
  cluster(): Cluster;
}

export function createKafkaClient(brokers: readonly string[], logger?: Logger): KafkaClient {
  const shared = {
    brokers: [...brokers],
    clientId: CLIENT_ID,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    retry: RETRY,
  };
  const kafka = new Kafka({
    ...shared,
    logLevel: logger ? logLevel.INFO : logLevel.NOTHING,
    logCreator: () => (entry) => logger && passOn(logger, entry),
  });
  return {
    kafka,
    cluster: () =>
      new ClusterOfKafkajs({
        ...shared,
        logger: kafka.logger(),
        socketFactory: socketFactory(),
        isolationLevel: 0,
        allowAutoTopicCreation: false,
        metadataMaxAge: 300_000,
        maxInFlightRequests: null,
      }),
  };
}

// kafkajs has no consumer without a group, and joining one takes a broker three seconds by default: too long for a
// reader that a client's `since` opens. Its own Cluster and Broker read a partition directly. They are not typed and
// not promised, which is why the version of kafkajs is pinned and why only this file names them.
const inside = createRequire(import.meta.url);
const ClusterOfKafkajs = inside('kafkajs/src/cluster/index.js') as new (options: object) => Cluster;
const socketFactory = inside('kafkajs/src/network/socketFactory.js') as () => unknown;

/** Of debugging interest only: kafkajs calls an error what it then retries, and what fails reaches the caller typed. */
function passOn(logger: Logger, { namespace, log }: LogEntry): void {
  const { message, timestamp: _, stack: __, logger: ___, ...rest } = log;
  logger.debug({ kafka: namespace, ...rest }, message);
}

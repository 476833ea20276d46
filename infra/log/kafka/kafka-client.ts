/** The one place that knows how kafkajs is set up, and the part of its inside that the adapter uses. */
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import {
  type CompressionTypes,
  Kafka,
  type LogEntry,
  logLevel,
  type ProducerBatch,
  type RecordMetadata,
} from 'kafkajs';
import type { Logger } from 'pino';
import type { ProducerIdentity, ProducerNumbers } from './producer-numbers.ts';

const CLIENT_ID = 'parallax';
const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 15_000;

/** kafkajs spreads its waits by this factor, so that clients do not come back together. */
export const RETRY = { initialRetryTime: 50, factor: 0.3, multiplier: 2, maxRetryTime: 1_000, retries: 4 } as const;
/** The producer's own attempts keep the numbers of a batch, so what some partitions took already stays single. */
export const PRODUCER_RETRY = { ...RETRY, retries: 10 } as const;

/** A record as kafkajs reads it, which makes text of numbers, or as `record-batches.ts` does. */
export interface RawRecord {
  readonly offset: string | number;
  readonly timestamp: string | number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, Buffer | string | (Buffer | string)[] | undefined>>;
  readonly isControlRecord: boolean;
  readonly batchContext: { readonly firstOffset: string | number; readonly lastOffsetDelta: number };
}

export interface FetchedPartition {
  readonly partition: number;
  readonly highWatermark: string | number;
  readonly messages: readonly RawRecord[];
}

/** What is sent to a broker and how its answer is read. */
interface Call {
  readonly request: { readonly apiVersion: number };
  readonly response: { decode(bytes: Buffer): Promise<unknown> };
}

/** kafkajs' choice of the newest version of a request that a broker knows. */
export type RequestLookup = (apiKey: number, definition: unknown) => (asked: unknown) => Call;

export interface Broker {
  /** Another one after each connect. */
  lookupRequest: RequestLookup;
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

/** The broker that keeps account of a transactional id. */
export interface TransactionCoordinator {
  /** Gives the id's next epoch, once a transaction that an older one left open was ended. */
  initProducerId(request: { transactionalId: string; transactionTimeout: number }): Promise<ProducerIdentity>;
  addPartitionsToTxn(
    request: ProducerIdentity & { transactionalId: string; topics: { topic: string; partitions: number[] }[] },
  ): Promise<unknown>;
  endTxn(request: ProducerIdentity & { transactionalId: string; transactionResult: boolean }): Promise<unknown>;
}

/** The broker that keeps the committed offsets of a group. */
export interface GroupCoordinator {
  offsetFetch(request: {
    groupId: string;
    topics: { topic: string; partitions: { partition: number }[] }[];
  }): Promise<{ responses: { topic: string; partitions: { partition: number; offset: string }[] }[] }>;
}

/** What the appender needs of a producer. */
export interface BatchProducer {
  sendBatch(batch: ProducerBatch): Promise<RecordMetadata[]>;
  disconnect(): Promise<void>;
}

/** kafkajs' view of the brokers: connections, and which of them leads which partition. */
export interface Cluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>;
  findLeaderForPartitions(topic: string, partitions: readonly number[]): Record<string, number[]>;
  findBroker(at: { nodeId: string }): Promise<Broker>;
  findGroupCoordinator(of: {
    groupId: string;
    coordinatorType: number;
  }): Promise<TransactionCoordinator & GroupCoordinator>;
  fetchTopicsOffset(
    queries: readonly OffsetQuery[],
  ): Promise<{ topic: string; partitions: { partition: number; offset: string }[] }[]>;
}

export interface KafkaClient {
  readonly kafka: Kafka;
  /** A cluster view with connections of its own: a waiting fetch holds up whatever else is asked on a connection. */
  cluster(): Cluster;
  /** A producer with a given identity over a connected cluster view; `disconnect` disconnects that. */
  producerOf(cluster: Cluster, numbers: ProducerNumbers): BatchProducer;
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
    producerOf: (cluster, numbers) => {
      const { sendBatch } = createMessageProducer({
        logger: kafka.logger(),
        cluster,
        partitioner: ({ message }) => message.partition,
        eosManager: numbers,
        idempotent: true,
        retrier: createRetry(PRODUCER_RETRY),
        getConnectionStatus: () => 'connected',
      });
      return { sendBatch, disconnect: () => cluster.disconnect() };
    },
  };
}

// kafkajs has no consumer without a group, and joining one takes a broker three seconds by default: too long for a
// reader that a client's `since` opens. Its own Cluster and Broker read a partition directly. Its producer cannot be
// fenced outside of transactions; its message sender can, given an identity. None of these is typed or promised, which is why the version of kafkajs is pinned and why only this file names them.
const inside = createRequire(import.meta.url);
const ClusterOfKafkajs = inside('kafkajs/src/cluster/index.js') as new (options: object) => Cluster;
const socketFactory = inside('kafkajs/src/network/socketFactory.js') as () => unknown;

const createMessageProducer = inside('kafkajs/src/producer/messageProducer.js') as (options: {
  partitioner: (args: { message: { partition: number } }) => number;
  [option: string]: unknown;
}) => Pick<BatchProducer, 'sendBatch'>;
const createRetry = inside('kafkajs/src/retry/index.js') as (options: object) => unknown;

/** A request of fewer bytes is sent as it is: it would hardly become smaller. */
const COMPRESS_BYTES_MIN = 1_024;
/** A third of the time of zlib's default level, for batches about a sixth larger. */
const GZIP_LEVEL = 1;

const { CompressionCodecs, CompressionTypes: Codec } = inside('kafkajs') as typeof import('kafkajs');
const [compress, decompress] = [promisify(gzip), promisify(gunzip)];
CompressionCodecs[Codec.GZIP] = () => ({
  compress: ({ buffer }: { readonly buffer: Buffer }) => compress(buffer, { level: GZIP_LEVEL }),
  decompress: (buffer: Buffer) => decompress(buffer),
});

/**
 * How a request with so many bytes of records is compressed. gzip, because kafkajs and Node bring it along: zstd and LZ4
 * need native packages, and Node itself has zstd only from 22.15 on.
 */
export function compressionFor(bytes: number): CompressionTypes {
  return bytes < COMPRESS_BYTES_MIN ? Codec.None : Codec.GZIP;
}

/** Of debugging interest only: kafkajs calls an error what it then retries, and what fails reaches the caller typed. */
function passOn(logger: Logger, { namespace, log }: LogEntry): void {
  const { message, timestamp: _, stack: __, logger: ___, ...rest } = log;
  logger.debug({ kafka: namespace, ...rest }, message);
}

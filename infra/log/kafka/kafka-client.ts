/** Configures kafkajs, and is the only file that uses its internals. */
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib';
import {
  type CompressionTypes,
  Kafka,
  type LogEntry,
  logLevel,
  type ProducerBatch,
  type RecordMetadata,
} from 'kafkajs';
import type { Logger } from 'pino';
import type { KafkaSecurity } from './kafka-security.ts';
import type { ProducerIdentity, ProducerNumbers } from './producer-numbers.ts';

const CLIENT_ID = 'parallax';
const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 15_000;

/** Retry options of kafkajs. `factor` adds jitter, so that clients do not reconnect together. */
export const RETRY = { initialRetryTime: 50, factor: 0.3, multiplier: 2, maxRetryTime: 1_000, retries: 4 } as const;
/**
 * Retries within the producer retain the numbers of a batch, so records that some partitions accepted are not doubled.
 */
export const PRODUCER_RETRY = { ...RETRY, retries: 10 } as const;

/** A record as kafkajs reads it. */
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

/** What a broker stores of a partition. */
export interface StoredPartition {
  readonly topic: string;
  readonly partition: number;
  readonly bytes: number;
}

export interface OffsetQuery {
  readonly topic: string;
  readonly partitions: readonly { readonly partition: number }[];
  readonly fromBeginning?: boolean;
  /** Unix ms. */
  readonly fromTimestamp?: number;
}

/** The broker that coordinates a transactional id. */
export interface TransactionCoordinator {
  /** Returns the id's next producer epoch, after ending a transaction that an older one left open. */
  initProducerId(request: { transactionalId: string; transactionTimeout: number }): Promise<ProducerIdentity>;
  addPartitionsToTxn(
    request: ProducerIdentity & { transactionalId: string; topics: { topic: string; partitions: number[] }[] },
  ): Promise<unknown>;
  endTxn(request: ProducerIdentity & { transactionalId: string; transactionResult: boolean }): Promise<unknown>;
}

/** The broker that stores the committed offsets of a group. */
export interface GroupCoordinator {
  offsetFetch(request: {
    groupId: string;
    topics: { topic: string; partitions: { partition: number }[] }[];
  }): Promise<{ responses: { topic: string; partitions: { partition: number; offset: string }[] }[] }>;
}

/** The part of a producer that the appender uses. */
export interface BatchProducer {
  sendBatch(batch: ProducerBatch): Promise<RecordMetadata[]>;
  disconnect(): Promise<void>;
}

/** kafkajs' view of the brokers: connections, and the leader of each partition. */
export interface Cluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>;
  findLeaderForPartitions(topic: string, partitions: readonly number[]): Record<string, number[]>;
  findBroker(at: { nodeId: string }): Promise<Broker>;
  readonly brokerPool: { readonly metadata: { readonly brokers: readonly { readonly nodeId: number }[] } };
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
  /** Creates a cluster view with its own connections: a waiting fetch delays other requests on a connection. */
  cluster(): Cluster;
  /** Creates a producer with a given identity over a connected cluster view; `disconnect` disconnects that. */
  producerOf(cluster: Cluster, numbers: ProducerNumbers): BatchProducer;
}

export interface KafkaClientOptions {
  /** `host:port` of some brokers of the cluster; the others are found through them. */
  readonly brokers: readonly string[];
  /** Plain connections without it. */
  readonly security?: KafkaSecurity;
  /** Receives the log messages of kafkajs at debug level; none without it. */
  readonly logger?: Logger | undefined;
}

export function createKafkaClient({ brokers, security, logger }: KafkaClientOptions): KafkaClient {
  const shared = {
    ...security,
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
    logCreator: () => (entry) => logger && forwardLogEntry(logger, entry),
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
// fenced outside of transactions; its message sender can, given an identity. None of these is typed or public, which is
// why the version of kafkajs is pinned and why only this file uses them.
const kafkajsRequire = createRequire(import.meta.url);
const ClusterOfKafkajs = kafkajsRequire('kafkajs/src/cluster/index.js') as new (options: object) => Cluster;
const socketFactory = kafkajsRequire('kafkajs/src/network/socketFactory.js') as () => unknown;

const createMessageProducer = kafkajsRequire('kafkajs/src/producer/messageProducer.js') as (options: {
  partitioner: (args: { message: { partition: number } }) => number;
  [option: string]: unknown;
}) => Pick<BatchProducer, 'sendBatch'>;
const createRetry = kafkajsRequire('kafkajs/src/retry/index.js') as (options: object) => unknown;

/** Kafka's request for what the folders of a broker contain, which kafkajs lacks. */
const DESCRIBE_LOG_DIRS = 35;

interface Decoder {
  readInt16(): number;
  readInt32(): number;
  readInt64(): { toString(): string };
  readString(): string;
  readBoolean(): boolean;
  readArray<T>(read: (decoder: Decoder) => T): T[];
}
const Encoder = kafkajsRequire('kafkajs/src/protocol/encoder.js') as new () => { writeInt32(value: number): unknown };
const DecoderOf = kafkajsRequire('kafkajs/src/protocol/decoder.js') as new (bytes: Buffer) => Decoder;

/** What a broker stores of every partition. A folder that it may not or cannot read is an error of Kafka's number. */
export async function storedPartitions(broker: Broker): Promise<StoredPartition[]> {
  const { connectionPool } = broker as unknown as {
    readonly connectionPool: { send(request: object): Promise<{ error: number; partitions: StoredPartition[] }[]> };
  };
  const folders = await connectionPool.send({
    request: {
      apiKey: DESCRIBE_LOG_DIRS,
      // The newest version without tagged fields; Kafka 4 has no older one.
      apiVersion: 1,
      apiName: 'DescribeLogDirs',
      // A list of topics that is null stands for all.
      encode: async () => new Encoder().writeInt32(-1),
    },
    response: {
      decode: async (bytes: Buffer) => decodeFolders(new DecoderOf(bytes)),
      parse: async (data: unknown) => data,
    },
  });
  const failed = folders.find(({ error }) => error !== 0);
  if (failed) throw new Error(`Kafka: describing the folders of a broker failed with ${failed.error}`);
  return folders.flatMap(({ partitions }) => partitions);
}

function decodeFolders(decoder: Decoder): { error: number; partitions: StoredPartition[] }[] {
  // The time for which the broker delayed the answer.
  decoder.readInt32();
  return decoder.readArray((folder) => {
    const error = folder.readInt16();
    folder.readString();
    const topics = folder.readArray((one) => {
      const topic = one.readString();
      return one.readArray((part) => {
        const partition = part.readInt32();
        const bytes = Number(part.readInt64().toString());
        // How far the copy is behind, and if it is one that is being moved here.
        part.readInt64();
        part.readBoolean();
        return { topic, partition, bytes };
      });
    });
    return { error, partitions: topics.flat() };
  });
}

/** Smaller requests are sent uncompressed: they would hardly shrink. */
const COMPRESS_BYTES_MIN = 1_024;
/** Takes a third of the time of zlib's default level, for batches about a sixth larger. */
const GZIP_LEVEL = 1;
/**
 * Small requests and answers, such as those with watermarks, are compressed and decompressed at once. Handing them to
 * another thread takes three to six times as much CPU, and holds up the event loop for longer than the work itself.
 */
const INLINE_BYTES_MAX = 16 * 1024;
const INLINE_COMPRESSED_BYTES_MAX = 4 * 1024;

const { CompressionCodecs, CompressionTypes: Codec } = kafkajsRequire('kafkajs') as typeof import('kafkajs');
const [compress, decompress] = [promisify(gzip), promisify(gunzip)];
CompressionCodecs[Codec.GZIP] = () => ({
  compress: async ({ buffer }: { readonly buffer: Buffer }) =>
    (buffer.length <= INLINE_BYTES_MAX ? gzipSync : compress)(buffer, { level: GZIP_LEVEL }),
  decompress: async (buffer: Buffer) =>
    (buffer.length <= INLINE_COMPRESSED_BYTES_MAX ? gunzipSync : decompress)(buffer),
});

/**
 * Selects the compression of a request with this many bytes of records. gzip, because kafkajs and Node include it: zstd
 * and LZ4 need native packages, and Node itself has zstd only from 22.15 on.
 */
export function compressionFor(bytes: number): CompressionTypes {
  return bytes < COMPRESS_BYTES_MIN ? Codec.None : Codec.GZIP;
}

/**
 * Logs at debug level: kafkajs logs errors that it then retries, and final failures reach the caller as typed errors.
 */
function forwardLogEntry(logger: Logger, { namespace, log }: LogEntry): void {
  const { message, timestamp: _, stack: __, logger: ___, ...rest } = log;
  logger.debug({ kafka: namespace, ...rest }, message);
}

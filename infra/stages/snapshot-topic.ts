/**
 * A compacted topic of snapshots. Each one has a name, is split into chunks, and is valid once its manifest is written.
 */
import type { Logger } from 'pino';
import type { StateChunk } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';
import type { Codec } from '../codec/codec.ts';
import type { EventLog, LogRecord, TopicPartition } from '../log/log.ts';
import { readPartition } from '../log/read-partition.ts';
import { isTransient } from '../runtime/retry.ts';
import {
  type Manifest,
  packManifest,
  packSnapshot,
  type Snapshot,
  unpackManifest,
  unpackSnapshot,
} from './snapshot.ts';

/** Kafka refuses records above 1 MiB by default; half of it leaves room for framing. */
const CHUNK_BYTES = 512 * 1024;
const MANIFEST = 'manifest';
const MANIFEST_CHUNK = -1;

/** A snapshot as stored in the topic. */
export interface StoredSnapshot {
  readonly name: string;
  /** Every key of the snapshot, even if its manifest is missing. */
  readonly keys: readonly string[];
  /** Null if the manifest is missing or unreadable. */
  readonly manifest: (Manifest & { readonly generation: number; readonly chunks: number }) | null;
  /** Highest generation in the manifest or in the chunks that were requested. */
  readonly newestGeneration: number;
  /** Chunks by index, if they were requested. */
  readonly chunkRecords: ReadonlyMap<number, StateChunk>;
}

export interface SnapshotTopicOptions {
  readonly topic: Topic<StateChunk>;
  /** True if several processes write the topic, so that its records have no `seq`. */
  readonly isShared?: boolean;
  /** Maps of the state that are written out in slices (`Stage.slicedMaps`). */
  readonly slicedMaps?: readonly string[] | undefined;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
}

export class SnapshotTopic {
  private readonly options: SnapshotTopicOptions;
  private readonly at: TopicPartition;
  private seq: number;
  private receivedAt: number;

  private constructor(options: SnapshotTopicOptions, last: LogRecord | null) {
    this.options = options;
    this.at = { topic: options.topic.name, partition: 0 };
    this.seq = last?.seq ?? 0;
    this.receivedAt = last?.receivedAt ?? 0;
  }

  /** Opens the topic and creates it if it is missing. */
  static async open(options: SnapshotTopicOptions): Promise<SnapshotTopic> {
    const { topic, log, codec } = options;
    await log.createTopics([topic]);
    await codec.prepare([topic]);
    return new SnapshotTopic(options, await log.last({ topic: topic.name, partition: 0 }));
  }

  /**
   * Writes every chunk, then the manifest. A failure in between leaves no valid snapshot under this name. Returns the
   * keys, and the compressed size of the state.
   * @param onCopied called when the state may change again.
   */
  async write(
    name: string,
    generation: number,
    snapshot: Snapshot<unknown>,
    stateVersion: number,
    onCopied?: () => void,
  ): Promise<{ readonly keys: readonly string[]; readonly bytes: number }> {
    const { receivedAt } = snapshot;
    // Packed now: the maps of a running stage change while the state is compressed.
    const head = packManifest(snapshot, stateVersion);
    const packed = await packSnapshot(snapshot, this.options.slicedMaps, onCopied);
    const chunks = Math.max(1, Math.ceil(packed.length / CHUNK_BYTES));
    const base = { receivedAt, generation, chunks };
    const keys: string[] = [];
    const put = async (key: string, value: StateChunk) => {
      await this.append(key, value);
      keys.push(key);
    };
    for (let chunk = 0; chunk < chunks; chunk += 1) {
      const payload = packed.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES);
      await put(`${name}/${chunk}`, { ...base, chunk, payload });
    }
    await put(`${name}/${MANIFEST}`, { ...base, chunk: MANIFEST_CHUNK, payload: head });
    return { keys, bytes: packed.length };
  }

  /** Removes the keys, the manifest first, so that a partly removed snapshot is never valid. */
  async remove(keys: readonly string[]): Promise<void> {
    const isManifest = (key: string) => key.endsWith(`/${MANIFEST}`);
    for (const key of [...keys].sort((a, b) => Number(isManifest(b)) - Number(isManifest(a)))) {
      await this.append(key, null);
    }
  }

  /**
   * Lists every stored snapshot.
   * @param wantsChunks selects by name the snapshots whose chunks are read too.
   */
  async list(wantsChunks: (name: string) => boolean): Promise<StoredSnapshot[]> {
    const newest = new Map<string, LogRecord | null>();
    await readPartition(this.options.log, this.at, (record) => {
      if (record.value === null) newest.delete(record.key);
      else newest.set(record.key, isWanted(record.key, wantsChunks) ? record : null);
    });
    const names = new Set([...newest.keys()].map(nameOf));
    return Promise.all([...names].map((name) => this.gather(name, newest)));
  }

  /** Unpacks a snapshot whose chunks were read. Returns null, with a warning, if it is incomplete or unreadable. */
  async read<S>({ name, manifest, chunkRecords }: StoredSnapshot): Promise<Snapshot<S> | null> {
    if (!manifest) return null;
    const { generation, chunks } = manifest;
    const own = Array.from({ length: chunks }, (_, chunk) => chunkRecords.get(chunk));
    const complete = own.filter((chunk) => chunk !== undefined && chunk.generation === generation) as StateChunk[];
    if (complete.length < chunks) {
      this.warn(`${chunks - complete.length} of its ${chunks} chunks are missing`, name);
      return null;
    }
    try {
      return await unpackSnapshot<S>(Buffer.concat(complete.map(({ payload }) => payload)));
    } catch (error) {
      this.warn('unreadable', name, error);
      return null;
    }
  }

  private async gather(name: string, newest: ReadonlyMap<string, LogRecord | null>): Promise<StoredSnapshot> {
    const keys = [...newest.keys()].filter((key) => nameOf(key) === name);
    let manifest: StoredSnapshot['manifest'] = null;
    const chunkRecords = new Map<number, StateChunk>();
    let newestGeneration = 0;
    for (const key of keys) {
      const chunk = await this.decode(name, newest.get(key)!);
      if (!chunk) continue;
      newestGeneration = Math.max(newestGeneration, chunk.generation);
      if (chunk.chunk !== MANIFEST_CHUNK) chunkRecords.set(chunk.chunk, chunk);
      else manifest = this.readManifest(name, chunk);
    }
    return { name, keys, manifest, newestGeneration, chunkRecords };
  }

  private readManifest(name: string, { generation, chunks, payload }: StateChunk): StoredSnapshot['manifest'] {
    try {
      return { ...unpackManifest(payload), generation, chunks };
    } catch (error) {
      this.warn('unreadable manifest', name, error);
      return null;
    }
  }

  /**
   * Returns null for a record that is not a chunk. Throws if the registry or the log is unavailable, which says nothing
   * about the record.
   */
  private async decode(name: string, record: LogRecord | null): Promise<StateChunk | null> {
    if (!record) return null;
    const { codec, topic } = this.options;
    try {
      await codec.fetchSchema(record.value!);
      return codec.decode(topic, record.value!);
    } catch (error) {
      if (isTransient(error)) throw error;
      this.warn('unreadable chunk', name, error);
      return null;
    }
  }

  private async append(key: string, value: StateChunk | null): Promise<void> {
    const { codec, log, topic } = this.options;
    // A stage without a position has time 0; within a partition the time must not go back.
    this.receivedAt = Math.max(this.receivedAt, value?.receivedAt ?? 0);
    const bytes = value && codec.encode(topic, value);
    const seq = this.options.isShared ? 0 : this.seq + 1;
    await log.append([{ ...this.at, key, value: bytes, receivedAt: this.receivedAt, seq }]);
    this.seq = seq;
  }

  private warn(what: string, snapshot: string, error?: unknown): void {
    this.options.logger.warn({ topic: this.at.topic, snapshot, error }, `ignored a stored snapshot: ${what}`);
  }
}

function nameOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/'));
}

function isWanted(key: string, wantsChunks: (name: string) => boolean): boolean {
  return key.endsWith(`/${MANIFEST}`) || wantsChunks(nameOf(key));
}

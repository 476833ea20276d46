/** A compacted topic of snapshots: each stands there under a name, in pieces, and is valid once its manifest is there. */
import type { Logger } from 'pino';
import type { StateChunk } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';
import type { Codec } from '../codec/codec.ts';
import type { EventLog, LogRecord, TopicPartition } from '../log/log.ts';
import { readPartition } from '../log/read-partition.ts';
import { isTransient } from '../retry.ts';
import { packHead, packSnapshot, type Snapshot, type SnapshotHead, unpackHead, unpackSnapshot } from './snapshot.ts';

/** Kafka refuses records above 1 MiB by default; half of it leaves room for framing. */
const CHUNK_BYTES = 512 * 1024;
const MANIFEST = 'manifest';
const MANIFEST_CHUNK = -1;

/** A snapshot as it stands in the topic. */
export interface StoredSnapshot {
  readonly name: string;
  /** Every key that it has, also where its manifest is missing. */
  readonly keys: readonly string[];
  /** Null where there is no manifest, or none that can be read. */
  readonly manifest: (SnapshotHead & { readonly generation: number; readonly chunks: number }) | null;
  /** Highest generation that was seen in a manifest or piece; pieces are looked at where they were asked for. */
  readonly newestGeneration: number;
  /** By index, where they were asked for. */
  readonly pieces: ReadonlyMap<number, StateChunk>;
}

export interface SnapshotTopicOptions {
  readonly topic: Topic<StateChunk>;
  /** Several processes write it, so that its records have no number. */
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

  /** Makes the topic where it is missing. */
  static async open(options: SnapshotTopicOptions): Promise<SnapshotTopic> {
    const { topic, log, codec } = options;
    await log.createTopics([topic]);
    await codec.prepare([topic]);
    return new SnapshotTopic(options, await log.last({ topic: topic.name, partition: 0 }));
  }

  /**
   * Writes every piece, then the manifest. What fails in between leaves no valid snapshot under this name. Returns the
   * keys, and the compressed bytes of the state.
   * @param onCopied told when the state may go on changing.
   */
  async write(
    name: string,
    generation: number,
    snapshot: Snapshot<unknown>,
    stateVersion: number,
    onCopied?: () => void,
  ): Promise<{ readonly keys: readonly string[]; readonly bytes: number }> {
    const { receivedAt } = snapshot;
    // Taken now: the maps of a running stage go on changing while the state is compressed.
    const head = packHead(snapshot, stateVersion);
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

  /** Removes what stands there; the manifest first, so that nothing half removed is valid. */
  async remove(keys: readonly string[]): Promise<void> {
    const isManifest = (key: string) => key.endsWith(`/${MANIFEST}`);
    for (const key of [...keys].sort((a, b) => Number(isManifest(b)) - Number(isManifest(a)))) {
      await this.append(key, null);
    }
  }

  /** All that stands there. @param wantsPieces of which snapshots the pieces are read too. */
  async list(wantsPieces: (name: string) => boolean): Promise<StoredSnapshot[]> {
    const newest = new Map<string, LogRecord | null>();
    await readPartition(this.options.log, this.at, (record) => {
      if (record.value === null) newest.delete(record.key);
      else newest.set(record.key, isWanted(record.key, wantsPieces) ? record : null);
    });
    const names = new Set([...newest.keys()].map(nameOf));
    return Promise.all([...names].map((name) => this.gather(name, newest)));
  }

  /** The snapshot, whose pieces must have been read; null, with a warning, where it is not whole or cannot be read. */
  async read<S>({ name, manifest, pieces }: StoredSnapshot): Promise<Snapshot<S> | null> {
    if (!manifest) return null;
    const { generation, chunks } = manifest;
    const own = Array.from({ length: chunks }, (_, chunk) => pieces.get(chunk));
    const whole = own.filter((piece) => piece !== undefined && piece.generation === generation) as StateChunk[];
    if (whole.length < chunks) {
      this.warn(`${chunks - whole.length} of its ${chunks} pieces are missing`, name);
      return null;
    }
    try {
      return await unpackSnapshot<S>(Buffer.concat(whole.map(({ payload }) => payload)));
    } catch (error) {
      this.warn('it cannot be read', name, error);
      return null;
    }
  }

  private async gather(name: string, newest: ReadonlyMap<string, LogRecord | null>): Promise<StoredSnapshot> {
    const keys = [...newest.keys()].filter((key) => nameOf(key) === name);
    let manifest: StoredSnapshot['manifest'] = null;
    const pieces = new Map<number, StateChunk>();
    let newestGeneration = 0;
    for (const key of keys) {
      const chunk = await this.decode(name, newest.get(key)!);
      if (!chunk) continue;
      newestGeneration = Math.max(newestGeneration, chunk.generation);
      if (chunk.chunk !== MANIFEST_CHUNK) pieces.set(chunk.chunk, chunk);
      else manifest = this.readManifest(name, chunk);
    }
    return { name, keys, manifest, newestGeneration, pieces };
  }

  private readManifest(name: string, { generation, chunks, payload }: StateChunk): StoredSnapshot['manifest'] {
    try {
      return { ...unpackHead(payload), generation, chunks };
    } catch (error) {
      this.warn('its manifest cannot be read', name, error);
      return null;
    }
  }

  /** Null for a record that is no piece. A registry or log that is away is no reason to think so: that is thrown. */
  private async decode(name: string, record: LogRecord | null): Promise<StateChunk | null> {
    if (!record) return null;
    const { codec, topic } = this.options;
    try {
      await codec.fetchSchema(record.value!);
      return codec.decode(topic, record.value!);
    } catch (error) {
      if (isTransient(error)) throw error;
      this.warn('a piece of it cannot be read', name, error);
      return null;
    }
  }

  private async append(key: string, value: StateChunk | null): Promise<void> {
    const { codec, log, topic } = this.options;
    // A stage that has no position yet says 0; within a partition the time must not go back.
    this.receivedAt = Math.max(this.receivedAt, value?.receivedAt ?? 0);
    const bytes = value && codec.encode(topic, value);
    const seq = this.options.isShared ? 0 : this.seq + 1;
    await log.append([{ ...this.at, key, value: bytes, receivedAt: this.receivedAt, seq }]);
    this.seq = seq;
  }

  private warn(what: string, snapshot: string, error?: unknown): void {
    this.options.logger.warn({ topic: this.at.topic, snapshot, error }, `a snapshot is not used: ${what}`);
  }
}

function nameOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/'));
}

function isWanted(key: string, wantsPieces: (name: string) => boolean): boolean {
  return key.endsWith(`/${MANIFEST}`) || wantsPieces(nameOf(key));
}

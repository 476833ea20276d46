/** Snapshots of a stage on its compacted `state.<stage>` topic: written in pieces, valid once the manifest is there. */

import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { type StateChunk, stateTopic } from '#schemas/topics/control';
import type { Codec } from '../codec/codec.ts';
import type { EventLog, LogRecord } from '../log/log.ts';
import { readPartition } from '../log/read-partition.ts';

/** Kafka refuses records above 1 MiB by default; half of it leaves room for framing. */
const CHUNK_BYTES = 512 * 1024;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Where a stage stood: everything before these offsets is in the state, and these numbers were given out. */
export interface StagePosition {
  /** Next offset to read, by `topic/partition`. */
  readonly offsets: ReadonlyMap<string, number>;
  /** Newest `seq` read, by `topic/partition`. */
  readonly inputSeqs: ReadonlyMap<string, number>;
  /** Newest `seq` written, by `topic/partition`. */
  readonly outputSeqs: ReadonlyMap<string, number>;
  readonly receivedAt: number;
}
export interface Snapshot<S> extends StagePosition {
  readonly state: S;
}

export interface SnapshotStore<S> {
  /** The newest whole snapshot, or null. */
  load(): Promise<Snapshot<S> | null>;
  save(snapshot: Snapshot<S>): Promise<void>;
}

export async function openSnapshots<S>(stage: string, log: EventLog, codec: Codec): Promise<SnapshotStore<S>> {
  const topic = stateTopic(stage);
  await log.createTopics([topic]);
  await codec.prepare([topic]);
  const at = { topic: topic.name, partition: 0 };
  let seq = (await log.last(at))?.seq ?? 0;
  let generation = 0;

  const append = (records: readonly { key: string; value: StateChunk }[]) =>
    log.append(
      records.map(({ key, value }) => {
        seq += 1;
        return { ...at, key, value: codec.encode(topic, value), receivedAt: value.receivedAt, seq };
      }),
    );

  return {
    async load() {
      const newest = new Map<string, LogRecord>();
      await readPartition(log, at, (record) => void newest.set(record.key, record));
      const chunks = [...newest.values()].filter((record) => record.value);
      const decoded = await Promise.all(chunks.map((record) => decodeLearning(codec, topic, record)));
      const manifests = decoded.filter((chunk) => chunk.chunk === -1).sort((a, b) => b.generation - a.generation);
      for (const manifest of manifests) {
        const pieces = decoded
          .filter((chunk) => chunk.generation === manifest.generation && chunk.chunk >= 0)
          .sort((a, b) => a.chunk - b.chunk);
        generation = Math.max(generation, manifest.generation);
        if (pieces.length < manifest.chunks) continue;
        const packed = Buffer.concat(pieces.slice(0, manifest.chunks).map((piece) => piece.payload));
        return deserialize(await inflate(packed)) as Snapshot<S>;
      }
      return null;
    },

    async save(snapshot) {
      const packed = await deflate(serialize(snapshot), { level: 1 });
      generation += 1;
      const chunks = Math.max(1, Math.ceil(packed.length / CHUNK_BYTES));
      const base = { receivedAt: snapshot.receivedAt, generation, chunks };
      // Keys alternate between two generations, so compaction always leaves a whole one.
      const slot = generation % 2;
      for (let chunk = 0; chunk < chunks; chunk += 1) {
        const payload = packed.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES);
        await append([{ key: `${slot}/${chunk}`, value: { ...base, chunk, payload } }]);
      }
      await append([{ key: `${slot}/manifest`, value: { ...base, chunk: -1, payload: Buffer.alloc(0) } }]);
    },
  };
}

async function decodeLearning(codec: Codec, topic: ReturnType<typeof stateTopic>, record: LogRecord) {
  await codec.learn(record.value!);
  return codec.decode(topic, record.value!);
}

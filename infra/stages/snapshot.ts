/** What a snapshot is, and its bytes: a v8-serialised, compressed state with the position that it stands at. */
import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { z } from 'zod';

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
  /** Event time up to which everything is taken, unix ms. */
  readonly receivedAt: number;
}
export interface Snapshot<S> extends StagePosition {
  readonly state: S;
}

/** Inflated in pieces of so many bytes; the default of 16 KiB takes several times as long for a large state. */
const INFLATE_BYTES = 4 * 1024 * 1024;

/** What the manifest of a snapshot tells without its pieces. */
export interface SnapshotHead {
  readonly stateVersion: number;
  /** Null in a manifest that was written before it told. */
  readonly position: StagePosition | null;
}

const numbers = z.record(z.string(), z.number().int());
const headBody = z.object({
  stateVersion: z.number().int(),
  offsets: numbers,
  inputSeqs: numbers,
  outputSeqs: numbers,
  receivedAt: z.number(),
});

/** The payload of a manifest, as JSON. */
export function packHead({ offsets, inputSeqs, outputSeqs, receivedAt }: StagePosition, stateVersion: number): Buffer {
  const plain = (map: ReadonlyMap<string, number>) => Object.fromEntries(map);
  return Buffer.from(
    JSON.stringify({
      stateVersion,
      offsets: plain(offsets),
      inputSeqs: plain(inputSeqs),
      outputSeqs: plain(outputSeqs),
      receivedAt,
    }),
  );
}

/** Throws where it is none. An empty one is from before manifests told anything: version 1. */
export function unpackHead(payload: Buffer): SnapshotHead {
  if (payload.length === 0) return { stateVersion: 1, position: null };
  const { stateVersion, receivedAt, ...maps } = headBody.parse(JSON.parse(payload.toString()));
  const map = (entries: Record<string, number>) => new Map(Object.entries(entries));
  const position = {
    offsets: map(maps.offsets),
    inputSeqs: map(maps.inputSeqs),
    outputSeqs: map(maps.outputSeqs),
    receivedAt,
  };
  return { stateVersion, position };
}

/** The state is copied before this returns, so it may go on changing. */
export function packSnapshot(snapshot: Snapshot<unknown>): Promise<Buffer> {
  return deflate(serialize(snapshot), { level: 1 });
}

/** Rejects where the bytes are no snapshot. */
export async function unpackSnapshot<S>(packed: Buffer): Promise<Snapshot<S>> {
  const snapshot = deserialize(await inflate(packed, { chunkSize: INFLATE_BYTES })) as Snapshot<S> | null;
  const { offsets, inputSeqs, outputSeqs } = snapshot ?? {};
  if (![offsets, inputSeqs, outputSeqs].every((map) => map instanceof Map)) throw new Error('no position in it');
  return snapshot as Snapshot<S>;
}

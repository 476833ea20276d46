/** What a snapshot is, and its bytes: a v8-serialised, compressed state with the position that it stands at. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { serialize } from 'node:v8';
import { createDeflateRaw, deflateRaw, inflateRaw } from 'node:zlib';
import { z } from 'zod';
import { deserializeSlices, serializeInSlices } from './sliced-state.ts';

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

/** Likewise of what a large state is deflated into. */
const DEFLATE_BYTES = 1024 * 1024;

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

/** @param onCopied told when the state may go on changing: before this returns, where nothing of it is in slices. */
export function packSnapshot(
  snapshot: Snapshot<unknown>,
  slicedMaps: readonly string[] = [],
  onCopied?: () => void,
): Promise<Buffer> {
  if (slicedMaps.length > 0) return packSlices(snapshot, slicedMaps, onCopied);
  const bytes = serialize(snapshot);
  onCopied?.();
  return deflate(bytes, { level: 1 });
}

async function packSlices(
  snapshot: Snapshot<unknown>,
  slicedMaps: readonly string[],
  onCopied: (() => void) | undefined,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of serializeInSlices(snapshot, slicedMaps, onCopied)) parts.push(part);
  const chunks: Buffer[] = [];
  const deflating = createDeflateRaw({ level: 1, chunkSize: DEFLATE_BYTES });
  await pipeline(Readable.from(parts), deflating, async (deflated: AsyncIterable<Buffer>) => {
    for await (const chunk of deflated) chunks.push(chunk);
  });
  return Buffer.concat(chunks);
}

/** Rejects where the bytes are no snapshot. */
export async function unpackSnapshot<S>(packed: Buffer): Promise<Snapshot<S>> {
  const snapshot = (await deserializeSlices(await inflate(packed, { chunkSize: INFLATE_BYTES }))) as Snapshot<S> | null;
  const { offsets, inputSeqs, outputSeqs } = snapshot ?? {};
  if (![offsets, inputSeqs, outputSeqs].every((map) => map instanceof Map)) throw new Error('no position in it');
  return snapshot as Snapshot<S>;
}

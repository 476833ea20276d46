/** Defines a snapshot and its bytes: a v8-serialised, compressed state with its position. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { serialize } from 'node:v8';
import { createDeflateRaw, deflateRaw, inflateRaw } from 'node:zlib';
import { z } from 'zod';
import { deserializeSlices, serializeInSlices } from './sliced-state.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** The position of a stage: its state contains everything before these offsets, and these numbers were issued. */
export interface StagePosition {
  /** Next offset to read, by `topic/partition`. */
  readonly offsets: ReadonlyMap<string, number>;
  /** Newest `seq` read, by `topic/partition`. */
  readonly inputSeqs: ReadonlyMap<string, number>;
  /** Newest `seq` written, by `topic/partition`. */
  readonly outputSeqs: ReadonlyMap<string, number>;
  /** Event time up to which everything is processed, unix ms. */
  readonly receivedAt: number;
}
export interface Snapshot<S> extends StagePosition {
  readonly state: S;
}

/** Chunk size for inflating; the default of 16 KiB takes several times as long for a large state. */
const INFLATE_BYTES = 4 * 1024 * 1024;

/** Chunk size for deflating a large state. */
const DEFLATE_BYTES = 1024 * 1024;

/** Contents of a manifest, readable without the chunks. */
export interface Manifest {
  readonly stateVersion: number;
  readonly position: StagePosition;
}

const numbers = z.record(z.string(), z.number().int());
const manifestBody = z.object({
  stateVersion: z.number().int(),
  offsets: numbers,
  inputSeqs: numbers,
  outputSeqs: numbers,
  receivedAt: z.number(),
});

/** Encodes the payload of a manifest as JSON. */
export function packManifest(
  { offsets, inputSeqs, outputSeqs, receivedAt }: StagePosition,
  stateVersion: number,
): Buffer {
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

/** Throws if the payload is not a manifest. */
export function unpackManifest(payload: Buffer): Manifest {
  const { stateVersion, receivedAt, ...maps } = manifestBody.parse(JSON.parse(payload.toString()));
  const map = (entries: Record<string, number>) => new Map(Object.entries(entries));
  const position = {
    offsets: map(maps.offsets),
    inputSeqs: map(maps.inputSeqs),
    outputSeqs: map(maps.outputSeqs),
    receivedAt,
  };
  return { stateVersion, position };
}

/** @param onCopied called when the state may change again; before this returns, if nothing is sliced. */
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

/** Rejects if the bytes are not a snapshot. */
export async function unpackSnapshot<S>(packed: Buffer): Promise<Snapshot<S>> {
  const snapshot = (await deserializeSlices(await inflate(packed, { chunkSize: INFLATE_BYTES }))) as Snapshot<S> | null;
  const { offsets, inputSeqs, outputSeqs } = snapshot ?? {};
  if (![offsets, inputSeqs, outputSeqs].every((map) => map instanceof Map))
    throw new Error('the snapshot has no position');
  return snapshot as Snapshot<S>;
}

/**
 * The bytes of a large state, written out a slice at a time: serialising a map of hundreds of thousands of objects at
 * once takes a second or more, in which nothing else of the process would get its turn.
 */
import { setImmediate as yieldToIo } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';

/** Entries of a slice: some 10 ms of work. */
const SLICE_ENTRIES = 1_000;
/** Each part is preceded by its length. What `v8.serialize` writes begins with 0xff, which no length does. */
const LENGTH_BYTES = 4;
const WHOLE = 0xff;

interface Holder {
  readonly state: unknown;
}
interface Slice {
  readonly name: string;
  readonly entries: readonly (readonly [unknown, unknown])[];
}

/**
 * Gives the parts of `holder` one after the other: all of it but the named maps of its state, then these in slices. The
 * state must not change meanwhile, and what is in different slices must have no object in common.
 */
export async function* serializeInSlices(holder: Holder, maps: readonly string[]): AsyncGenerator<Buffer> {
  const state = { ...(holder.state as Record<string, unknown>) };
  const sliced = maps.map((name) => [name, state[name] as ReadonlyMap<unknown, unknown>] as const);
  for (const [name] of sliced) state[name] = new Map();
  yield framed({ ...holder, state });
  for (const [name, map] of sliced) {
    let entries: [unknown, unknown][] = [];
    for (const entry of map) {
      entries.push(entry);
      if (entries.length < SLICE_ENTRIES) continue;
      yield framed({ name, entries } satisfies Slice);
      entries = [];
      await yieldToIo();
    }
    if (entries.length > 0) yield framed({ name, entries } satisfies Slice);
  }
}

/** Reads what `serializeInSlices` wrote, or `v8.serialize`. Throws where it is neither. */
export function deserializeSlices(bytes: Buffer): unknown {
  if (bytes[0] === WHOLE) return deserialize(bytes);
  let holder: Holder | null = null;
  for (let at = 0; at < bytes.length; ) {
    const from = at + LENGTH_BYTES;
    at = from + bytes.readUInt32BE(at);
    if (at > bytes.length) throw new RangeError('the last part is not whole');
    const part: unknown = deserialize(bytes.subarray(from, at));
    if (holder === null) holder = part as Holder;
    else {
      const { name, entries } = part as Slice;
      const map = (holder.state as Record<string, Map<unknown, unknown>>)[name]!;
      for (const [key, value] of entries) map.set(key, value);
    }
  }
  return holder;
}

function framed(value: unknown): Buffer {
  const bytes = serialize(value);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

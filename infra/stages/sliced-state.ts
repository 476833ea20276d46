/**
 * Serialises a large state: copies it, then writes it in slices. Serialising a map of hundreds of thousands of objects
 * at once takes a second or more, in which nothing else of the process runs. The stage waits only for the copy, which
 * takes a third of the time.
 */
import { deserialize, serialize } from 'node:v8';
import { isTurnUsedUp, nextTurn } from '../runtime/turn.ts';
import { deepCopy } from './deep-copy.ts';

/** Target size of a slice: some 5 ms of work, whether its entries are numbers or whole books. */
const SLICE_BYTES = 128 * 1024;
/** Entries of the first slice of a collection, before it is known how large they are. */
const FIRST_ENTRIES = 32;
/** Entries may vary widely in size, so a slice has at most this many times the entries of the previous one. */
const GROWTH_MAX = 4;
/** Entries copied between two looks at the clock. */
const COPIED_AT_ONCE = 32;
/** Each part is preceded by its length. What `v8.serialize` writes begins with 0xff, which no length does. */
const LENGTH_BYTES = 4;
const UNSLICED = 0xff;

/** Limits how deep the maps of a state may be. */
type Shallower = readonly [never, 0, 1, 2, 3];

type PathOf<Name extends string, Value, Depth extends number> = Value extends
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  ? Name
  : Value extends readonly unknown[]
    ? never
    : Value extends object
      ? `${Name}.${PathIn<Value, Shallower[Depth]>}`
      : never;

type PathIn<S, Depth extends number> = Depth extends 0
  ? never
  : { [Name in keyof S & string]-?: PathOf<Name, NonNullable<S[Name]>, Depth> }[keyof S & string];

/** Path of a map or a set in a state, such as `catalog.closed`. Other values have no path unless they contain one. */
export type SlicedPath<S> = PathIn<S, 4> & string;

type Fields = Record<string, unknown>;
type Collection = Map<unknown, unknown> | Set<unknown>;

interface Holder {
  readonly state: unknown;
}
interface Slice {
  /** Path of the collection. */
  readonly name: string;
  /** Pairs of a map, values of a set. */
  readonly entries: readonly unknown[];
}

/**
 * Yields the parts of `holder`: first everything except the collections at the given paths of its state, then these in
 * slices. An object that is referenced in several places is restored as several, so nothing below these paths may rely
 * on identity. Paths that do not exist in this state are skipped.
 * @param onCopied called when the state may change again; it must not change before. Without it nothing is copied, and
 * the state must not change until the end.
 */
export async function* serializeInSlices(
  holder: Holder,
  paths: readonly string[],
  onCopied?: () => void,
): AsyncGenerator<Buffer> {
  const found = paths.flatMap((path) => {
    const collection = collectionAt(holder.state, path);
    return collection ? [{ path, collection }] : [];
  });
  let state = holder.state;
  for (const { path } of found) state = withEmpty(state as Fields, path.split('.'));
  const unsliced = framed({ ...holder, state });
  const copies: { readonly path: string; readonly entries: readonly unknown[] }[] = [];
  for (const { path, collection } of found) {
    copies.push({ path, entries: onCopied ? await copyEntries(collection) : [...collection] });
  }
  onCopied?.();
  yield unsliced;
  // Release the copies one by one: together they are as large as the state.
  for (let next = copies.shift(); next; next = copies.shift()) yield* slicesOf(next.path, next.entries);
}

async function copyEntries(collection: Collection): Promise<unknown[]> {
  const entries: unknown[] = [];
  for (const entry of collection) {
    entries.push(deepCopy(entry));
    if (entries.length % COPIED_AT_ONCE === 0 && isTurnUsedUp()) await nextTurn();
  }
  return entries;
}

/** Reads what `serializeInSlices` or `v8.serialize` wrote. Rejects other bytes. */
export async function deserializeSlices(bytes: Buffer): Promise<unknown> {
  if (bytes[0] === UNSLICED) return deserialize(bytes);
  let holder: Holder | null = null;
  for (let at = 0; at < bytes.length; ) {
    const from = at + LENGTH_BYTES;
    at = from + bytes.readUInt32BE(at);
    if (at > bytes.length) throw new RangeError('the last part is incomplete');
    const part: unknown = deserialize(bytes.subarray(from, at));
    if (holder === null) holder = part as Holder;
    else fill(holder.state, part as Slice);
    await nextTurn();
  }
  return holder;
}

async function* slicesOf(name: string, copied: readonly unknown[]): AsyncGenerator<Buffer> {
  let wanted = FIRST_ENTRIES;
  for (let from = 0; from < copied.length; ) {
    const entries = copied.slice(from, from + wanted);
    const part = framed({ name, entries } satisfies Slice);
    yield part;
    from += entries.length;
    wanted = Math.ceil(entries.length * Math.min(GROWTH_MAX, SLICE_BYTES / part.length));
    await nextTurn();
  }
}

function fill(state: unknown, { name, entries }: Slice): void {
  const collection = collectionAt(state, name);
  if (!collection) throw new RangeError(`there is no ${name} in the state`);
  if (collection instanceof Set) for (const value of entries) collection.add(value);
  else for (const [key, value] of entries as [unknown, unknown][]) collection.set(key, value);
}

function collectionAt(state: unknown, path: string): Collection | null {
  let found: unknown = state;
  for (const name of path.split('.')) found = (found as Fields | null | undefined)?.[name];
  return found instanceof Map || found instanceof Set ? found : null;
}

/** Copies the fields with an empty collection at the path; copies nothing else than the objects on the path. */
function withEmpty(fields: Fields, [name, ...rest]: readonly string[]): Fields {
  const value = fields[name!];
  if (rest.length > 0) return { ...fields, [name!]: withEmpty(value as Fields, rest) };
  return { ...fields, [name!]: value instanceof Set ? new Set() : new Map() };
}

function framed(value: unknown): Buffer {
  const bytes = serialize(value);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

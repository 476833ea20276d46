import { deserialize, serialize } from 'node:v8';
import { expect, it } from 'vitest';
import { type SlicedPath, serializeInSlices } from './sliced-state.ts';
import { packSnapshot, type Snapshot, unpackSnapshot } from './snapshot.ts';

interface State {
  readonly large: Map<string, { readonly nth: number; readonly at: bigint }>;
  readonly other: Map<number, string[]>;
  readonly small: Set<string>;
}

const snapshotOf = (entries: number): Snapshot<State> => ({
  offsets: new Map([['a/0', 7]]),
  inputSeqs: new Map([['a/0', 6]]),
  outputSeqs: new Map(),
  receivedAt: 5,
  state: {
    large: new Map(Array.from({ length: entries }, (_, nth) => [`key ${nth}`, { nth, at: BigInt(nth) }])),
    other: new Map([[3, ['three']]]),
    small: new Set(['x']),
  },
});

it.each([0, 1, 999, 1_000, 1_001, 25_000])('restores a state of %d entries in its order', async (entries) => {
  const snapshot = snapshotOf(entries);
  const read = await unpackSnapshot<State>(await packSnapshot(snapshot, ['large', 'other']));
  expect(read).toEqual(deserialize(serialize(snapshot)));
  expect([...read.state.large.keys()]).toEqual([...snapshot.state.large.keys()]);
  expect(snapshot.state.large.size).toBe(entries);
});

it('reads a snapshot that was written without slices', async () => {
  const snapshot = snapshotOf(3);
  expect(await unpackSnapshot(await packSnapshot(snapshot))).toEqual(snapshot);
});

it('reads slices of any size, and rejects those of a map that the state does not have', async () => {
  const { promisify } = await import('node:util');
  const { deflateRaw } = await import('node:zlib');
  const snapshot = snapshotOf(5);
  const part = (value: unknown) => {
    const bytes = serialize(value);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const pack = (...slices: object[]) => {
    const state = { ...snapshot.state, large: new Map() };
    return promisify(deflateRaw)(Buffer.concat([{ ...snapshot, state }, ...slices].map(part)));
  };
  const entries = [...snapshot.state.large];
  const packed = await pack(
    { name: 'large', entries: entries.slice(0, 4) },
    { name: 'large', entries: entries.slice(4) },
  );
  expect(await unpackSnapshot(packed)).toEqual(snapshot);
  await expect(unpackSnapshot(await pack({ name: 'gone', entries }))).rejects.toThrow('there is no gone');
});

it('yields to other work', async () => {
  let turns = 0;
  const turn = () => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  await packSnapshot(snapshotOf(20_000), ['large']);
  clearImmediate(next);
  expect(turns).toBeGreaterThan(15);
});

it('writes the state as of the copy, even if it changes afterwards', async () => {
  const snapshot = snapshotOf(5_000);
  const before = deserialize(serialize(snapshot)) as typeof snapshot;
  let copied = 0;
  const packed = await packSnapshot(snapshot, ['large', 'other'], () => {
    copied += 1;
    for (const key of snapshot.state.large.keys()) snapshot.state.large.set(key, { nth: -1, at: -1n });
    snapshot.state.large.set('new', { nth: 0, at: 0n });
    snapshot.state.other.get(3)!.push('four');
    snapshot.state.small.add('y');
    (snapshot.offsets as Map<string, number>).set('a/0', 8);
  });
  expect(copied).toBe(1);
  expect(await unpackSnapshot(packed)).toEqual(before);
});

it('rejects truncated bytes', async () => {
  const { promisify } = await import('node:util');
  const { deflateRaw, inflateRaw } = await import('node:zlib');
  const complete = await promisify(inflateRaw)(await packSnapshot(snapshotOf(2_000), ['large']));
  const truncated = await promisify(deflateRaw)(complete.subarray(0, complete.length - 10));
  await expect(unpackSnapshot(truncated)).rejects.toThrow('incomplete');
});

interface Deep {
  readonly catalog: { readonly over: Map<string, string>; readonly names: Set<string>; readonly size: number };
  readonly late?: { readonly published: { readonly known: Map<number, number[]> } };
  readonly list: readonly Map<string, string>[];
  readonly books: Map<string, readonly bigint[]>;
}

const deep = (entries: number): Deep => ({
  catalog: {
    over: new Map(Array.from({ length: entries }, (_, nth) => [`market ${nth}`, `patch ${nth}`])),
    names: new Set(Array.from({ length: entries }, (_, nth) => `name ${nth}`)),
    size: entries,
  },
  late: { published: { known: new Map([[1, [2, 3]]]) } },
  list: [new Map([['a', 'b']])],
  books: new Map(
    Array.from({ length: entries / 100 }, (_, nth) => [
      `${nth}`,
      Array.from({ length: 1_000 }, (_item, at) => BigInt(at)),
    ]),
  ),
});
const PATHS = ['catalog.over', 'catalog.names', 'late.published.known', 'books'] as const satisfies SlicedPath<Deep>[];
const around = (state: Deep) => ({ ...snapshotOf(0), state });

it('slices nested maps and sets, and does not change the state', async () => {
  const snapshot = around(deep(3_000));
  const before = deserialize(serialize(snapshot));
  const read = await unpackSnapshot<Deep>(await packSnapshot(snapshot, PATHS));
  expect(read).toEqual(before);
  expect(snapshot).toEqual(before);
  expect([...read.state.catalog.names]).toEqual([...snapshot.state.catalog.names]);
});

it('skips paths that an older state does not have', async () => {
  const { late: _, ...state } = deep(100);
  expect(await unpackSnapshot(await packSnapshot(around(state), PATHS))).toEqual(around(state));
});

it('writes no large part, whatever its entries are', async () => {
  const sizes: number[] = [];
  for await (const part of serializeInSlices(around(deep(200_000)), PATHS)) sizes.push(part.length);
  expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(20_000_000);
  // The size stands for the time, which a test cannot measure on a busy machine.
  expect(Math.max(...sizes)).toBeLessThan(600_000);
});

it('has a path to each map and set, and to nothing else', () => {
  // The compiler accepts neither one too few nor one too many.
  const all: Record<SlicedPath<Deep>, true> = {
    'catalog.over': true,
    'catalog.names': true,
    'late.published.known': true,
    books: true,
  };
  expect(Object.keys(all).sort()).toEqual([...PATHS].sort());
});

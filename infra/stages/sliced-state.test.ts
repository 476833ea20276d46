import { deserialize, serialize } from 'node:v8';
import { expect, it } from 'vitest';
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

it.each([0, 1, 999, 1_000, 1_001, 25_000])(
  'gives a state of %d entries back as it was, in its order',
  async (entries) => {
    const snapshot = snapshotOf(entries);
    const read = await unpackSnapshot<State>(await packSnapshot(snapshot, ['large', 'other']));
    expect(read).toEqual(deserialize(serialize(snapshot)));
    expect([...read.state.large.keys()]).toEqual([...snapshot.state.large.keys()]);
    expect(snapshot.state.large.size).toBe(entries);
  },
);

it('reads a snapshot that was written as a whole', async () => {
  const snapshot = snapshotOf(3);
  expect(await unpackSnapshot(await packSnapshot(snapshot))).toEqual(snapshot);
});

it('lets others have their turn', async () => {
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

it('rejects what is cut off', async () => {
  const { promisify } = await import('node:util');
  const { deflateRaw, inflateRaw } = await import('node:zlib');
  const whole = await promisify(inflateRaw)(await packSnapshot(snapshotOf(2_000), ['large']));
  const cut = await promisify(deflateRaw)(whole.subarray(0, whole.length - 10));
  await expect(unpackSnapshot(cut)).rejects.toThrow('not whole');
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlockTree, PIECE_BYTES } from './block-tree.ts';
import { type LogEnvironment, openEnvironment } from './environment.ts';
import type { TreeStats } from './tree-stats.ts';

let folder: string;
let environment: LogEnvironment;
let tree: BlockTree;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parallax-tree-'));
  environment = openEnvironment(folder, false);
  tree = environment.partition('p')!;
});

afterEach(async () => {
  await environment.root.close();
  await rm(folder, { recursive: true });
});

const block = (key: number, bytes: number) => Buffer.alloc(bytes, `${key} `);
const keysOf = (blocks: Iterable<{ readonly key: number }>) => [...blocks].map(({ key }) => key);

describe('a tree of blocks', () => {
  const SIZES = new Map([
    [0, 1],
    [3, PIECE_BYTES],
    [4, PIECE_BYTES + 1],
    [2 ** 33, 40_000],
    [Number.MAX_SAFE_INTEGER - 1, 5 * PIECE_BYTES],
  ]);

  beforeEach(() => {
    for (const [key, bytes] of SIZES)
      environment.transact(() => expect(tree.append(key, block(key, bytes))).toBe(true));
  });

  it('returns whole blocks in order, in reverse order, and by offset', () => {
    const all = [...SIZES].map(([key, bytes]) => ({ key, value: block(key, bytes) }));
    expect([...tree.from(0)]).toEqual(all);
    expect([...tree.backwards(Number.MAX_SAFE_INTEGER)]).toEqual(all.reverse());
    expect(keysOf(tree.from(1, 2))).toEqual([3, 4]);
    expect(keysOf(tree.from(1, 0))).toEqual([]);
    expect(keysOf(tree.backwards(2 ** 33 - 1))).toEqual([4, 3, 0]);
    expect([2, 3, 2 ** 40].map((offset) => tree.at(offset)?.key)).toEqual([0, 3, 2 ** 33]);
    expect(tree.firstKey()).toBe(0);
  });

  it('refuses an append that is not behind all others', () => {
    for (const key of [2 ** 33, Number.MAX_SAFE_INTEGER - 1])
      expect(environment.transact(() => tree.append(key, block(key, 1)))).toBe(false);
  });

  it('replaces a block by a shorter or longer one, and adds one between others', () => {
    for (const [key, bytes] of [
      [2 ** 33, 10],
      [3, 9_000],
      [100, 5_000],
    ] as const) {
      environment.transact(() => tree.put(key, block(key, bytes)));
      expect(tree.at(key)).toEqual({ key, value: block(key, bytes) });
    }
    expect(keysOf(tree.from(0))).toEqual([0, 3, 4, 100, 2 ** 33, Number.MAX_SAFE_INTEGER - 1]);
  });

  it('removes a block with all its pieces', () => {
    environment.transact(() => {
      tree.remove(4);
      tree.remove(2 ** 33);
      tree.remove(77);
    });
    expect(keysOf(tree.from(0))).toEqual([0, 3, Number.MAX_SAFE_INTEGER - 1]);
    environment.transact(() => tree.clear());
    expect([tree.firstKey(), tree.at(5)]).toEqual([null, null]);
  });
});

it('holds what was put and not removed, in any order and number for each transaction', () => {
  const key = fc.integer({ min: 0, max: 12 });
  const put = fc.record({ key, bytes: fc.integer({ min: 1, max: 30_000 }) });
  const transactions = fc.array(fc.array(fc.oneof(put, fc.record({ key })), { maxLength: 6 }), { maxLength: 12 });
  fc.assert(
    fc.property(transactions, (list) => {
      environment.transact(() => tree.clear());
      const expected = new Map<number, Buffer>();
      for (const steps of list)
        environment.transact(() => {
          for (const step of steps)
            if ('bytes' in step) {
              tree.put(step.key, block(step.key, step.bytes));
              expected.set(step.key, block(step.key, step.bytes));
            } else {
              tree.remove(step.key);
              expected.delete(step.key);
            }
        });
      const found = [...tree.from(0)].map(({ key, value }) => [key, value] as const);
      expect(found).toEqual([...expected].sort(([a], [b]) => a - b));
    }),
    { numRuns: 60 },
  );
});

it('fills pages with two pieces each', () => {
  environment.transact(() => expect(tree.append(0, block(0, 400 * PIECE_BYTES))).toBe(true));
  expect(tree.bytes / 4_096).toBeLessThan(200 * 1.03);
});

it('takes no run of pages, however long a block is', () => {
  environment.transact(() => tree.put(0, block(0, 300_000)));
  environment.transact(() => tree.put(0, block(0, 200_000)));
  const db = Reflect.get(tree, 'db') as { getStats(): TreeStats };
  expect(db.getStats()).toMatchObject({ overflowPages: 0, treeLeafPageCount: Math.ceil(200_000 / PIECE_BYTES / 2) });
});

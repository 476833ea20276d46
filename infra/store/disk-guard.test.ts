import { randomBytes } from 'node:crypto';
import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { mountSmallDisk, type SmallDisk } from '../testing/small-disk.ts';
import { DiskGuard, MERGED_SECONDS, SAFE_BYTES } from './disk-guard.ts';
import { openEmbeddedStore } from './embedded.ts';
import { type Store, StoreError } from './store.ts';

const MEBIBYTE = 2 ** 20;
const DISK_BYTES = 400 * MEBIBYTE;
const ROWS = 500;
/** Of each row, incompressible. */
const TEXT_BYTES = 300;
/** How often the disk is filled while the engine writes. */
const FILLS = 6;

describe('the guard', () => {
  let free: number;
  let reloads: (() => Promise<void>)[];
  let loaded: number;
  let guard: DiskGuard;
  beforeEach(() => {
    vi.useFakeTimers();
    free = 2 * SAFE_BYTES;
    reloads = [];
    loaded = 0;
    guard = new DiskGuard({
      freeBytes: () => free,
      reloadTables: async () => {
        await reloads.shift()?.();
        loaded += 1;
      },
    });
  });
  afterEach(async () => {
    await guard.close();
    vi.useRealTimers();
  });
  const pass = () => vi.advanceTimersByTimeAsync(1_000);

  it('refuses an insert during which the disk became full', async () => {
    const insert = guard.insert(async () => {
      free = 0;
    });
    await expect(insert).rejects.toMatchObject({ code: 'store_full', canRetry: true });
  });

  it('does not run an insert while the disk is full', async () => {
    free = SAFE_BYTES - 1;
    const work = vi.fn();
    await expect(guard.insert(work)).rejects.toMatchObject({ code: 'store_full' });
    expect(work).not.toHaveBeenCalled();
  });

  it('loads the tables once while the disk is full, and accepts inserts again when there is room', async () => {
    free = 0;
    await pass();
    await pass();
    expect(loaded).toBe(1);
    free = SAFE_BYTES;
    await guard.insert(async () => {});
    free = 0;
    await pass();
    expect(loaded).toBe(2);
  });

  it('loads them even if there is room again, before it accepts an insert', async () => {
    let finish = () => {};
    reloads.push(() => new Promise((resolve) => (finish = resolve)));
    free = 0;
    await pass();
    free = 2 * SAFE_BYTES;
    await expect(guard.insert(async () => {})).rejects.toMatchObject({ code: 'store_full' });
    finish();
    await pass();
    await guard.insert(async () => {});
  });

  it('loads them again after a failure, and names it meanwhile', async () => {
    const cause = new Error('a query takes too long');
    reloads.push(
      () => Promise.reject(cause),
      () => Promise.reject(cause),
    );
    free = 0;
    await vi.advanceTimersByTimeAsync(300);
    await expect(guard.insert(async () => {})).rejects.toMatchObject({ code: 'store_full', cause });
    await pass();
    expect(loaded).toBe(1);
    free = SAFE_BYTES;
    await guard.insert(async () => {});
  });

  it('counts a disk that cannot be queried as full', async () => {
    const failing = new DiskGuard({
      freeBytes: () => {
        throw new Error('EIO');
      },
      reloadTables: async () => {},
    });
    await expect(failing.insert(async () => {})).rejects.toMatchObject({ code: 'store_full' });
    await failing.close();
  });
});

const probe = mountSmallDisk('parallax-probe', MEBIBYTE);
probe?.remove();
const title = probe ? 'a full disk' : 'a full disk (skipped: mounting a small file system needs Linux and root)';

describe.skipIf(!probe)(title, () => {
  let disk: SmallDisk;
  let store: Store;
  let inserted: number;

  const open = () => openEmbeddedStore({ path: `${disk.path}/store` });
  beforeEach(async () => {
    disk = mountSmallDisk('parallax-store', DISK_BYTES)!;
    store = await open();
    inserted = 0;
    await store.command('CREATE TABLE t (id UInt32, text String) ENGINE = ReplacingMergeTree ORDER BY id');
  });
  afterEach(async () => {
    await store.close();
    disk.remove();
  });

  const insertNext = async () => {
    await store.insert(
      't',
      Array.from({ length: ROWS }, (_, nth) => ({
        id: inserted + nth,
        text: randomBytes(TEXT_BYTES / 2).toString('hex'),
      })),
    );
    inserted += ROWS;
  };
  /** Inserts the next rows, again and again while the disk is full. */
  const insertUntil = async (isOver: () => boolean) => {
    while (!isOver()) {
      await insertNext().catch((error: unknown) => {
        if (!(error instanceof StoreError) || error.code !== 'store_full') throw error;
        return sleep(20);
      });
    }
  };
  /** Reads every row from the disk. */
  const read = async () => {
    const [row] = await store.query<{ rows: string; length: string }>(
      'SELECT count() AS rows, sum(length(text)) AS length FROM t FINAL WHERE id < {inserted:UInt32}',
      { inserted },
    );
    return row;
  };
  const everything = () => ({ rows: String(inserted), length: String(inserted * TEXT_BYTES) });

  it('is refused before it is full, and accepted again when there is room', async () => {
    await insertNext();
    disk.fill(50 * MEBIBYTE);
    await expect(insertNext()).rejects.toMatchObject({ code: 'store_full', canRetry: true });
    expect(await read()).toEqual(everything());
    disk.clear();
    await insertNext();
    expect(await read()).toEqual(everything());
  });

  it('finds the sources of a merge for a while after it', async () => {
    const name = 'old_parts_lifetime';
    expect(
      await store.query('SELECT value FROM system.merge_tree_settings WHERE name = {name:String}', { name }),
    ).toEqual([{ value: String(MERGED_SECONDS) }]);
  });

  it('brings back the sources of a merge whose result was not written', async () => {
    await insertNext();
    await insertNext();
    await store.command('OPTIMIZE TABLE t FINAL');
    const [merged] = await store.query<{ path: string }>("SELECT path FROM system.parts WHERE table = 't' AND active");
    for (const file of readdirSync(merged!.path)) truncateSync(join(merged!.path, file));
    await expect(read()).rejects.toThrow();
    disk.fill(0);
    await vi.waitFor(async () => expect(await read()).toEqual(everything()), 5_000);
  });

  it('loses no acknowledged row when another process fills it during inserts and merges', async () => {
    let isOver = false;
    const inserting = insertUntil(() => isOver);
    for (let fills = 0; fills < FILLS; fills += 1) {
      await sleep(300);
      await disk.fillBeside();
      await sleep(700);
      // Read while the disk is full: the tables were loaded again by now.
      expect(await read()).toEqual(everything());
      disk.clear();
    }
    isOver = true;
    await inserting;
    expect(inserted).toBeGreaterThan(FILLS * ROWS);
    await store.close();
    store = await open();
    expect(await read()).toEqual(everything());
  }, 60_000);
});

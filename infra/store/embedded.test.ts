import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeStore } from './conformance/describe-store.fixture.ts';
import { openEmbeddedStore } from './embedded.ts';
import { STORE_TIMEOUTS } from './store-settings.ts';

const temporary = () => mkdtemp(join(tmpdir(), 'parallax-store-'));

describeStore('embedded store', async () => {
  const path = await temporary();
  return {
    open: () => openEmbeddedStore({ path }),
    dispose: () => rm(path, { recursive: true, force: true }),
  };
});

describe('the embedded store', () => {
  let path: string;
  beforeEach(async () => {
    path = await temporary();
  });
  afterEach(() => rm(path, { recursive: true, force: true }));

  it('cannot be opened twice in one process, and can be opened again after closing', async () => {
    const store = await openEmbeddedStore({ path });
    await expect(openEmbeddedStore({ path })).rejects.toMatchObject({ code: 'store_locked' });
    await expect(openEmbeddedStore({ path: join(path, 'other') })).rejects.toMatchObject({ code: 'store_locked' });
    await store.close();
    const again = await openEmbeddedStore({ path: join(path, 'other') });
    await again.close();
  });

  it('runs inserts and other queries during a slow query', async () => {
    const store = await openEmbeddedStore({ path });
    await store.command('CREATE TABLE t (id UInt32) ENGINE = MergeTree ORDER BY id');
    let slowEnded = false;
    const slow = store.query('SELECT sleep(2)').then(() => {
      slowEnded = true;
    });
    await store.insert('t', [{ id: 1 }]);
    expect(await store.query('SELECT id FROM t')).toEqual([{ id: 1 }]);
    expect(slowEnded).toBe(false);
    await slow;
    await store.close();
  });

  it('ends a query at its time limit and continues to work', async () => {
    const store = await openEmbeddedStore({ path, timeouts: { ...STORE_TIMEOUTS, queryMs: 1_000 } });
    await expect(store.query('SELECT count() FROM numbers(1e12) WHERE sipHash64(number) = 0')).rejects.toMatchObject({
      code: 'store_unavailable',
      canRetry: true,
    });
    expect(await store.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await store.close();
  });

  it('has every acknowledged insert after its process is killed, and is locked while that process runs', async () => {
    const child = spawn(process.execPath, ['infra/testing/run-ts.mjs', 'infra/testing/insert-forever.ts', path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    let acknowledged = 0;
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        acknowledged = Number(line);
        if (acknowledged === 20)
          await expect(openEmbeddedStore({ path })).rejects.toMatchObject({
            code: 'store_locked',
            message: expect.stringContaining(String(child.pid)),
          });
        if (acknowledged === 30) child.kill('SIGKILL');
      }
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
    expect(acknowledged).toBeGreaterThanOrEqual(30);
    const store = await openEmbeddedStore({ path });
    const [stored] = await store.query<{ batches: string }>(
      `SELECT count() AS batches FROM (SELECT batch FROM t WHERE batch <= {acknowledged:UInt32} GROUP BY batch HAVING count() = 100)`,
      { acknowledged },
    );
    expect(stored).toEqual({ batches: String(acknowledged) });
    await store.close();
  });

  it('reads nothing from standard input', async () => {
    const child = spawn(process.execPath, ['infra/testing/run-ts.mjs', 'infra/testing/insert-once.ts', path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    // It stays open: the engine would wait for its end.
    child.stdin.write('[{"id":3}]\n');
    const lines: string[] = [];
    try {
      for await (const line of createInterface({ input: child.stdout })) lines.push(line);
    } finally {
      child.kill('SIGKILL');
    }
    expect(await exited).toEqual([0, null]);
    expect(lines).toEqual(['[{"id":1},{"id":2}]']);
  });
});

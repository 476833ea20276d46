import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClickhouseHttpServer,
  startClickhouseHttpServer,
  TEST_CLUSTER,
} from '../testing/clickhouse-http-server.ts';
import { describeStore } from './conformance/describe-store.fixture.ts';
import { openStore } from './open-store.ts';
import { openServerStore, parseServerUrl } from './server.ts';
import type { Store } from './store.ts';
import type { StoreTimeouts } from './store-settings.ts';

const PASSWORD = "p@ss/w'ord";
const CREDENTIALS = { username: 'parallax', password: PASSWORD };
const urlOf = (server: ClickhouseHttpServer, database = 'conformance', password = PASSWORD) =>
  `http://parallax:${encodeURIComponent(password)}@127.0.0.1:${server.port}/${database}`;

async function startServer() {
  const path = await mkdtemp(join(tmpdir(), 'parallax-server-'));
  const server = await startClickhouseHttpServer({ path, ...CREDENTIALS });
  return {
    server,
    dispose: async () => {
      await server.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

describeStore('server store', async () => {
  const { server, dispose } = await startServer();
  return { open: () => openStore({ store: urlOf(server), dataDir: 'unused' }), dispose };
});

describeStore('server store on a cluster', async () => {
  const { server, dispose } = await startServer();
  const location = { store: urlOf(server), storeCluster: TEST_CLUSTER, dataDir: 'unused' };
  return { open: () => openStore(location), dispose };
});

describe('the server store', () => {
  let started: Awaited<ReturnType<typeof startServer>>;
  let server: ClickhouseHttpServer;
  const open: Store[] = [];
  beforeAll(async () => {
    started = await startServer();
    server = started.server;
  });
  afterAll(() => started.dispose());
  afterEach(async () => {
    server.fail(null);
    for (const store of open.splice(0)) await store.close();
  });
  const openAt = async (url: string, timeouts?: StoreTimeouts) => {
    const store = await openServerStore({ ...parseServerUrl(url), ...(timeouts ? { timeouts } : {}) });
    open.push(store);
    return store;
  };

  it('creates its database when it is opened first', async () => {
    const store = await openAt(urlOf(server, 'fresh'));
    expect(await store.query('SELECT currentDatabase() AS name')).toEqual([{ name: 'fresh' }]);
  });

  it('refuses wrong credentials without repeating them', async () => {
    const failure = await openAt(urlOf(server, 'conformance', 'wr0ng-secret')).catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'store_misconfigured', canRetry: false });
    expect(String((failure as Error).stack)).not.toContain('wr0ng-secret');
  });

  it('uses the password of the settings instead of the one in the URL', async () => {
    const store = urlOf(server, 'conformance', 'wr0ng-secret');
    const opened = await openStore({ store, storePassword: PASSWORD, dataDir: 'unused' });
    open.push(opened);
    expect(await opened.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    const refused = openStore({ store: urlOf(server), storePassword: 'wr0ng-secret', dataDir: 'unused' });
    await expect(refused).rejects.toMatchObject({
      code: 'store_misconfigured',
      message: expect.not.stringContaining('wr0ng-secret'),
    });
  });

  it.each([
    ['a full disk', { kind: 'exception', code: 243, name: 'NOT_ENOUGH_SPACE', message: 'no room' }, 'store_full'],
    [
      'a disk that filled up while writing',
      {
        kind: 'exception',
        code: 75,
        name: 'CANNOT_WRITE_TO_FILE_DESCRIPTOR',
        message: 'errno: 28, No space left on device',
      },
      'store_full',
    ],
    ['too many parts', { kind: 'exception', code: 252, name: 'TOO_MANY_PARTS', message: 'merge' }, 'store_unavailable'],
    ['a proxy without a server behind it', { kind: 'status', status: 502 }, 'store_unavailable'],
  ] as const)('reports %s as transient', async (_, fault, code) => {
    const store = await openAt(urlOf(server));
    server.fail(fault);
    await expect(store.query('SELECT 1')).rejects.toMatchObject({ code, canRetry: true });
    server.fail(null);
    expect(await store.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('times out on a server that never answers', async () => {
    // Opening sends queries too, which a busy machine must answer in time.
    const store = await openAt(urlOf(server), { queryMs: 3_000, insertMs: 3_000, commandMs: 3_000, graceMs: 50 });
    server.fail({ kind: 'silence' });
    await expect(store.query('SELECT 1')).rejects.toMatchObject({ code: 'store_unavailable', canRetry: true });
  });

  it('reports a server that is unreachable as transient', async () => {
    const placeholder = createServer();
    await new Promise<void>((resolve) => placeholder.listen(0, '127.0.0.1', resolve));
    const { port } = placeholder.address() as { port: number };
    await new Promise((resolve) => placeholder.close(resolve));
    await expect(openAt(`http://parallax:hidden@127.0.0.1:${port}/x`)).rejects.toMatchObject({
      code: 'store_unavailable',
      canRetry: true,
      message: expect.not.stringContaining('hidden'),
    });
  });

  it('sends inserts compressed and accepts compressed answers', async () => {
    const store = await openAt(urlOf(server));
    const before = server.requests();
    await store.command('CREATE TABLE IF NOT EXISTS zipped (value String) ENGINE = MergeTree ORDER BY value');
    await store.insert('zipped', [{ value: 'x'.repeat(100_000) }]);
    expect(await store.query('SELECT length(value) AS length FROM zipped')).toEqual([{ length: '100000' }]);
    expect(server.requests() - before).toBe(3);
  });
});

describe('the URL of a server', () => {
  it('contains user, password and database, which are decoded', () => {
    expect(parseServerUrl('https://me:a%2Fb%40c@db.example:8443/prices')).toEqual({
      url: 'https://db.example:8443',
      username: 'me',
      password: 'a/b@c',
      database: 'prices',
    });
  });

  it('has defaults for all but the host', () => {
    expect(parseServerUrl('http://localhost:8123')).toEqual({
      url: 'http://localhost:8123',
      username: 'default',
      password: '',
      database: 'parallax',
    });
  });

  it.each([
    'nonsense with s3cret',
    'ftp://me:s3cret@host/db',
    'http://me:s3cret%of@host/db',
    'http://me:s3cret@host/a-b',
    'http://me:s3cret@:x/',
  ])('is refused without being repeated: %s', (url) => {
    const attempt = () => parseServerUrl(url);
    expect(attempt).toThrow(expect.objectContaining({ code: 'store_misconfigured' }));
    expect(attempt).toThrow(expect.objectContaining({ message: expect.not.stringContaining('s3cret') }));
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { SettingError } from '../../../config/declare.ts';
import { STORE_CHECKS } from '../../../store/conformance/checks.ts';
import { openStore } from '../../../store/open-store.ts';
import {
  type ClickhouseHttpServer,
  startClickhouseHttpServer,
  TEST_CLUSTER,
} from '../../../testing/clickhouse-http-server.ts';
import { checkStore } from './check-store.ts';

const PASSWORD = 'right-password';
const WRONG_PASSWORD = 'wrong-password';

let folder: string;
let server: ClickhouseHttpServer;
let printed: string[];
/** Called for every line. */
let onLine: () => void;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parallax-check-store-'));
  server = await startClickhouseHttpServer({ path: join(folder, 'data'), username: 'me', password: PASSWORD });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  printed = [];
  onLine = () => {};
  const print = (line: string) => {
    printed.push(line);
    onLine();
  };
  vi.spyOn(console, 'log').mockImplementation(print);
  vi.spyOn(console, 'error').mockImplementation(print);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  server.fail(null);
});
const urlWith = (password: string) => `http://me:${password}@127.0.0.1:${server.port}/production`;
const check = (...argv: string[]) => checkStore.run(['--store', urlWith(PASSWORD), ...argv]);
async function databases(): Promise<string[]> {
  const store = await openStore({ store: `http://me:${PASSWORD}@127.0.0.1:${server.port}/default`, dataDir: 'unused' });
  const rows = await store.query<{ name: string }>('SELECT name FROM system.databases');
  await store.close();
  return rows.map(({ name }) => name).filter((name) => name.startsWith('parallax') || name === 'production');
}

it.each([
  ['a server', []],
  ['a cluster', ['--cluster', TEST_CLUSTER]],
])('prints a line for each guarantee that %s gives, and leaves nothing on it', async (_, argv) => {
  expect(await check(...argv)).toBe(0);
  expect(printed).toEqual([
    ...STORE_CHECKS.map(({ name }) => `ok      ${name}`),
    `0 of ${STORE_CHECKS.length} checks failed`,
  ]);
  expect(await databases()).toEqual([]);
});

it('reports what a server does not give, and drops the database', async () => {
  server.fail({ kind: 'loses', statements: /^TRUNCATE/m });
  expect(await check()).toBe(1);
  expect(printed.filter((line) => !line.startsWith('ok '))).toEqual([
    "failed  rows that were cleared are gone, and the same rows can be inserted again: expected [ '0' ], got [ '20' ]",
    `1 of ${STORE_CHECKS.length} checks failed`,
  ]);
  expect(await databases()).toEqual([]);
});

it('drops the database after a signal', async () => {
  onLine = () => {
    if (printed.length === 2) process.emit('SIGINT');
  };
  expect(await check()).toBe(1);
  expect(printed).toHaveLength(4);
  expect(printed.slice(2)).toEqual(['ending after the check that runs', 'ended before the last check']);
  expect(await databases()).toEqual([]);
});

it('reads the password from a file', async () => {
  const file = join(folder, 'password');
  writeFileSync(file, `${PASSWORD}\n`);
  vi.stubEnv('PARALLAX_STORE_PASSWORD_FILE', file);
  onLine = () => {
    if (printed.length === 1) process.emit('SIGTERM');
  };
  expect(await checkStore.run(['--store', urlWith(WRONG_PASSWORD)])).toBe(1);
  expect(printed[0]).toMatch(/^ok /);
});

it.each([
  ['the embedded store', () => ['--store', 'embedded'], /^--store must name a server/],
  ['no URL', () => ['--store', 'http://me:wrong-password@:x/'], /^the store is not configured as http/],
  [
    'a wrong password',
    () => ['--store', urlWith(WRONG_PASSWORD)],
    /^code 516: .*PARALLAX_STORE_PASSWORD or the password/,
  ],
  [
    'a cluster that does not exist',
    () => ['--store', urlWith(PASSWORD), '--cluster', 'other'],
    /PARALLAX_STORE_CLUSTER$/,
  ],
  [
    'a name that no cluster has',
    () => ['--store', urlWith(PASSWORD), '--cluster', 'a-b'],
    /^--cluster cannot be "a-b"/,
  ],
])('refuses %s with one line that names the setting', async (_, argv, message) => {
  const error = await checkStore.run(argv()).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SettingError);
  expect((error as Error).message).toMatch(message);
  expect((error as Error).message).not.toMatch(/\n|wrong-password|right-password/);
  expect(printed).toEqual([]);
});

it('refuses a server that cannot be reached with one line', async () => {
  const placeholder = createServer();
  await new Promise<void>((resolve) => placeholder.listen(0, '127.0.0.1', resolve));
  const { port } = placeholder.address() as { port: number };
  await new Promise((resolve) => placeholder.close(resolve));
  const refused = checkStore.run(['--store', `http://me:${PASSWORD}@127.0.0.1:${port}/x`]);
  await expect(refused).rejects.toThrow(/ECONNREFUSED.*; check the host and the port in --store$/);
  await expect(refused).rejects.toBeInstanceOf(SettingError);
});

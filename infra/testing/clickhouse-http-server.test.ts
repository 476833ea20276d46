import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClickhouseHttpServer, startClickhouseHttpServer } from './clickhouse-http-server.ts';

let path: string;
let server: ClickhouseHttpServer;
beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'parallax-http-'));
  server = await startClickhouseHttpServer({ path, username: 'me', password: 'secret' });
});
afterAll(async () => {
  await server.close();
  await rm(path, { recursive: true, force: true });
});
const KEY = { 'X-ClickHouse-User': 'me', 'X-ClickHouse-Key': 'secret' };
const post = (search: Record<string, string>, init: RequestInit = {}) =>
  fetch(`${server.url}/?${new URLSearchParams(search)}`, { method: 'POST', headers: KEY, ...init });

describe('the test server', () => {
  it('answers a ping without credentials', async () => {
    expect(await (await fetch(`${server.url}/ping`)).text()).toBe('Ok.\n');
  });

  it('accepts a query in the URL, in the body and in a gzipped body', async () => {
    expect(await (await post({ query: 'SELECT 1' })).text()).toBe('1\n');
    expect(await (await post({}, { body: 'SELECT 2 FORMAT JSONEachRow' })).text()).toBe('{"2":2}\n');
    const zipped = { body: gzipSync('SELECT 3'), headers: { ...KEY, 'Content-Encoding': 'gzip' } };
    expect(await (await post({}, zipped)).text()).toBe('3\n');
  });

  it('finds a database that was dropped and created again', async () => {
    const query = (text: string, database = 'default') => post({ database }, { body: text });
    for (const value of [1, 2]) {
      await query('CREATE DATABASE again');
      expect((await query('CREATE TABLE t ENGINE = Memory AS SELECT 1', 'again')).status).toBe(200);
      expect(await (await query('SELECT count() FROM t', 'again')).text()).toBe('1\n');
      await query('DROP DATABASE again');
      const missing = await query('SELECT 1', 'again');
      expect([value, missing.status, await missing.text()]).toEqual([value, 404, expect.stringContaining('Code: 81')]);
    }
  });

  it('isolates settings and databases of requests', async () => {
    const query = "SELECT toDecimal64('1.5', 1) AS d, currentDatabase() AS db FORMAT JSONEachRow";
    const quoted = await post({ query, output_format_json_quote_decimals: '1' });
    expect(await quoted.json()).toEqual({ d: '1.5', db: 'default' });
    await post({ query: 'CREATE DATABASE IF NOT EXISTS other' });
    expect(await (await post({ query, database: 'other' })).json()).toEqual({ d: 1.5, db: 'other' });
  });

  it('substitutes parameters as ClickHouse does', async () => {
    const answer = await post({
      query: 'SELECT {x:String}, {n:Nullable(UInt8)}',
      param_x: "it\\'s\\ta",
      param_n: '\\N',
    });
    expect(await answer.text()).toBe("it\\'s\\ta\t\\N\n");
  });

  it('returns the code and status of an engine error', async () => {
    const answer = await post({ query: 'SELECT * FROM missing' });
    expect([answer.status, answer.headers.get('X-ClickHouse-Exception-Code')]).toEqual([404, '60']);
    expect(await answer.text()).toContain('Code: 60. DB::Exception');
  });

  it('authenticates its user by headers or basic credentials, and refuses others', async () => {
    const basic = { Authorization: `Basic ${Buffer.from('me:secret').toString('base64')}` };
    expect((await post({ query: 'SELECT 1' }, { headers: basic })).status).toBe(200);
    const wrong = await post({ query: 'SELECT 1' }, { headers: { ...KEY, 'X-ClickHouse-Key': 'guess' } });
    expect([wrong.status, wrong.headers.get('X-ClickHouse-Exception-Code')]).toEqual([403, '516']);
  });

  it('runs as a process of its own', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parallax-http-own-'));
    const child = spawn(
      process.execPath,
      ['infra/testing/run-ts.mjs', 'infra/testing/clickhouse-http-server-main.ts', folder, '0', 'u', 'p'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    try {
      const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const answer = await fetch(`${url}/?query=SELECT+7`, {
        headers: { 'X-ClickHouse-User': 'u', 'X-ClickHouse-Key': 'p' },
      });
      expect(await answer.text()).toBe('7\n');
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    }
  });
});

import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWatchKey, readWatchKey, tokenForWatchKey } from './watch-key.ts';

const received: unknown[] = [];
let status: number;
const server = createServer(async (request, response) => {
  received.push([request.method, request.url, request.headers.authorization, JSON.parse(await text(request))]);
  response.writeHead(status).end(JSON.stringify({ token: 'plx_live_created' }));
});
let dataDir: string;
let rest: string;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'parallax-watch-'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  rest = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

it('may only read, and only its owner can read the file', async () => {
  status = 201;
  expect(readWatchKey(dataDir)).toBeNull();
  await createWatchKey({ dataDir, rest, adminToken: 'plx_live_admin' });
  expect(received).toEqual([
    ['POST', '/keys', 'Bearer plx_live_admin', { name: 'watch', userId: 'watch', scopes: ['read', 'stream'] }],
  ]);
  expect(readWatchKey(dataDir)).toBe('plx_live_created');
  expect(statSync(join(dataDir, 'watch-key')).mode & 0o777).toBe(0o600);
});

it('is not stored if the service refuses to create it', async () => {
  status = 403;
  await expect(createWatchKey({ dataDir, rest, adminToken: 'plx_live_admin' })).rejects.toThrow('POST /keys: 403');
  expect(readWatchKey(dataDir)).toBeNull();
});

it('is created with a configured admin token if there is none, and with a generated one in any case', async () => {
  const tokenFor = (generated: string | null, configured: string | null) =>
    tokenForWatchKey(dataDir, { generated, configured });
  expect([tokenFor('new', null), tokenFor(null, 'given'), tokenFor(null, null)]).toEqual(['new', 'given', null]);
  status = 201;
  await createWatchKey({ dataDir, rest, adminToken: 'plx_live_admin' });
  expect([tokenFor('new', null), tokenFor(null, 'given'), tokenFor(null, null)]).toEqual(['new', null, null]);
});

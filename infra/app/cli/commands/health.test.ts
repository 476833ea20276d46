import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { health } from './health.ts';

let server: Server;
let answer: { status: number; body: unknown };
let printed: string[];
beforeEach(async () => {
  server = createServer((_, response) => response.writeHead(answer.status).end(JSON.stringify(answer.body)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  printed = [];
  vi.spyOn(console, 'error').mockImplementation((line: string) => void printed.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  server.close();
});
const check = () => health.run(['--host', '0.0.0.0', '--http-port', String((server.address() as AddressInfo).port)]);

it('exits with 0 if the process is ready', async () => {
  answer = { status: 200, body: { status: 'ok' } };
  expect(await check()).toBe(0);
  expect(printed).toEqual([]);
});

it('prints in one line which parts are not ready', async () => {
  answer = { status: 503, body: { status: 'degraded', parts: { sink: 'the store is unavailable', ingest: 'ready' } } };
  expect(await check()).toBe(1);
  expect(printed).toEqual([expect.stringMatching(/\/health answers 503: degraded; sink: the store is unavailable$/)]);
});

it.each([
  [{ error: 'not found' }, '{"error":"not found"}'],
  ['Bad Gateway', '"Bad Gateway"'],
  [null, 'null'],
])('prints what something else answers: %j', async (body, text) => {
  answer = { status: 404, body };
  expect(await check()).toBe(1);
  expect(printed).toEqual([expect.stringMatching(/\/health answers 404: /)]);
  expect(printed[0]).toContain(text);
});

it('prints why nothing answers', async () => {
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  expect(await health.run(['--http-port', String(port)])).toBe(1);
  expect(printed).toEqual([expect.stringContaining(`:${port}/health does not answer: connect ECONNREFUSED`)]);
});

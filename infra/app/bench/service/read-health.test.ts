import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from './free-port.ts';
import { isReadyWithin } from './read-health.ts';

const running = { exitErrors: () => null };
const parts = { 'query-api': 'ready', 'stream-gateway': 'ready', processors: 'ready', ingest: 'ready' };

async function withHealth(answer: (response: ServerResponse) => void, work: (port: number) => Promise<void>) {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    await work((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('waits until the service answers 200 and lists every role', async () => {
  const answers = [
    { status: 200, parts: { 'query-api': 'ready' } },
    { status: 503, parts: { ...parts, ingest: 'starting' } },
    { status: 200, parts },
  ];
  let requests = 0;
  const answer = (response: ServerResponse) => {
    const { status, parts: named } = answers[Math.min(requests, answers.length - 1)]!;
    requests += 1;
    response.writeHead(status).end(JSON.stringify({ parts: named }));
  };
  await withHealth(answer, async (port) => expect(await isReadyWithin(running, port, 10_000)).toBe(true));
  expect(requests).toBe(3);
});

it('returns false after the timeout, with and without an answer', async () => {
  const answer = (response: ServerResponse) => void response.writeHead(503).end(JSON.stringify({ parts }));
  await withHealth(answer, async (port) => expect(await isReadyWithin(running, port, 100)).toBe(false));
  expect(await isReadyWithin(running, await freePort(), 100)).toBe(false);
});

it('throws when the service has exited, with its last output', async () => {
  const ended = { exitErrors: () => 'no such folder' };
  await expect(isReadyWithin(ended, await freePort(), 10_000)).rejects.toThrow('no such folder');
});

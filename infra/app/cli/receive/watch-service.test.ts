import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { untilUnreachable } from './watch-service.ts';

/** A service whose health is bad, as one that answers nevertheless. */
async function startService() {
  const server = createServer((_, response) => response.writeHead(503).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

it('resolves once the service does not answer any more, and not before', async () => {
  const { server, url } = await startService();
  let isOver = false;
  const over = untilUnreachable(url, new AbortController().signal, 1).then(() => {
    isOver = true;
  });
  for (let requests = 0; requests < 20; requests++) await once(server, 'request');
  expect(isOver).toBe(false);
  server.close();
  server.closeAllConnections();
  await over;
});

it('resolves when it is stopped', async () => {
  const { server, url } = await startService();
  const stop = new AbortController();
  const over = untilUnreachable(url, stop.signal);
  await once(server, 'request');
  stop.abort();
  await over;
});

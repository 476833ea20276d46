import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPinned } from './pinned-socket.ts';
import { httpServer, type TestServer } from './servers.fixture.ts';
import { evaluateTargetUrl } from './target-url.ts';

let server: TestServer;
beforeAll(async () => {
  server = await httpServer(() => {});
});
afterAll(() => server.close());

function targetHere() {
  const verdict = evaluateTargetUrl(`http://localhost:${server.port}/`, { allowLoopback: true });
  if (!verdict.ok) throw new Error(verdict.message);
  return verdict.target;
}

describe('a pinned connection', () => {
  it('uses the next address if one does not answer', async () => {
    const sockets: unknown[] = [];
    const onSocket = (socket: unknown) => void sockets.push(socket);
    const socket = await openPinned(targetHere(), ['127.0.0.2', '127.0.0.3', '127.0.0.1'], { onSocket });
    expect(socket.remoteAddress).toBe('127.0.0.1');
    expect(sockets).toEqual([socket]);
    socket.destroy();
  });

  it('uses no other address, whatever the name resolves to on this system', async () => {
    const before = server.connections();
    const onSocket = () => {};
    await expect(openPinned(targetHere(), ['127.0.0.2', '127.0.0.3'], { onSocket })).rejects.toMatchObject({
      code: 'connect_failed',
    });
    expect(server.connections()).toBe(before);
  });
});

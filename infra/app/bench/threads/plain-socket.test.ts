import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { openPlainSocket, readFrames } from './plain-socket.ts';

it('reads complete frames, returns the rest of an incomplete one, and separates control frames', () => {
  const frame = (first: number, payload: string) =>
    Buffer.concat([Buffer.from([first, payload.length]), Buffer.from(payload)]);
  const data = Buffer.concat([frame(0x81, 'one'), frame(0x89, 'p'), frame(0x81, 'two')]);
  const frames: string[] = [];
  const rest = readFrames(
    data.subarray(0, -1),
    (payload) => void frames.push(String(payload)),
    (opcode) => void frames.push(`control ${opcode}`),
  );
  expect(frames).toEqual(['one', 'control 9']);
  expect(rest).toEqual(frame(0x81, 'two').subarray(0, -1));
});

it('sends to a server, receives short and long frames, answers pings and reports a close', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const long = 'x'.repeat(70_000);
    server.on('connection', (peer, request) => {
      peer.on('message', (text) => peer.send(`${request.headers.authorization} ${text}`));
      peer.once('message', () => {
        peer.send(long);
        peer.ping('p');
      });
      peer.on('pong', () => peer.close(4008));
    });
    const frames: string[] = [];
    const { port } = server.address() as AddressInfo;
    const fault = await new Promise<string>((resolve) => {
      const socket = openPlainSocket(
        { port, path: '/', headers: { authorization: 'Bearer t' } },
        {
          onOpen: () => socket.send('hello'),
          onFrame: (payload) => void frames.push(String(payload)),
          onFault: resolve,
        },
      );
    });
    expect(fault).toBe('closed by the server (4008)');
    expect(frames).toEqual(['Bearer t hello', long]);
  } finally {
    for (const client of server.clients) client.terminate();
    server.close();
  }
});

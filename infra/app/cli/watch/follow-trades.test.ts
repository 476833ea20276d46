import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { followTrades } from './follow-trades.ts';

let server: WebSocketServer;
afterEach(() => server.close());

const payload = {
  provider: 'venue_b',
  marketId: '0xm',
  ts: '2026-03-01T12:00:00.000Z',
  side: 'buy',
  price: 0.5,
  qty: 1,
};

it('follows the trades of every provider, and reports a loss of the connection', async () => {
  server = new WebSocketServer({ port: 0 });
  await once(server, 'listening');
  const listener = { onTrade: vi.fn(), onMissed: vi.fn() };
  const client = followTrades(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, 'plx_key', listener);
  const [socket, request] = (await once(server, 'connection')) as [WebSocket, { headers: object }];
  expect(request.headers).toMatchObject({ 'sec-websocket-protocol': 'bearer.plx_key' });
  const [first] = (await once(socket, 'message')) as [Buffer];
  const { channel } = JSON.parse(first.toString()) as { channel: string };
  socket.send(JSON.stringify({ type: 'subscribed', subscription_id: 's', channel, cursor: 'c' }));
  const event = { type: 'event', subscription_id: 's', channel, epoch: 'e', seq: 1, cursor: 'd', data: { payload } };
  socket.send(JSON.stringify(event));
  await expect.poll(() => listener.onTrade).toHaveBeenCalledWith(payload);
  expect([client.state.name, listener.onMissed.mock.calls.length]).toEqual(['live', 0]);
  socket.terminate();
  await expect.poll(() => listener.onMissed).toHaveBeenCalledTimes(1);
  client.disconnect();
});

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { TradeStream } from './trade-stream.ts';

let server: WebSocketServer;
afterEach(() => server.close());

const trade = { provider: 'venue_b', marketId: '0xm', ts: '2026-03-01T12:00:00.000Z', side: 'buy', price: 0.5, qty: 1 };

it('subscribes to every provider, and again after a loss of the connection', async () => {
  server = new WebSocketServer({ port: 0 });
  await once(server, 'listening');
  const listener = { onTrade: vi.fn(), onMissed: vi.fn() };
  const stream = new TradeStream(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, 'plx_key', listener);
  for (const round of [1, 2]) {
    const [socket, request] = (await once(server, 'connection')) as [WebSocket, { headers: object }];
    expect(request.headers).toMatchObject({ authorization: 'Bearer plx_key' });
    const [first] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(first.toString())).toMatchObject({ type: 'subscribe' });
    socket.send(JSON.stringify({ type: 'event', data: { payload: trade } }));
    await vi.waitFor(() => expect(listener.onTrade).toHaveBeenCalledTimes(round));
    expect(stream.isOpen).toBe(true);
    socket.terminate();
    await vi.waitFor(() => expect(listener.onMissed).toHaveBeenCalledTimes(round));
  }
  stream.close();
});

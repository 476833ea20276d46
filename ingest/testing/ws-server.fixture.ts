/** A WebSocket server on loopback that tests control. */
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export interface TestSocketServer {
  readonly url: string;
  /** Sockets in the order of connecting, including closed ones. */
  readonly sockets: WebSocket[];
  /** Frames that each socket received. */
  readonly received: string[][];
  /** Called for each received frame. */
  onFrame: (socket: WebSocket, frame: string) => void;
  close(): Promise<void>;
}

export async function startSocketServer(port = 0): Promise<TestSocketServer> {
  const server = new WebSocketServer({ host: '127.0.0.1', port });
  await new Promise((resolve) => server.once('listening', resolve));
  const test: TestSocketServer = {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets: [],
    received: [],
    onFrame: () => {},
    close: async () => {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('connection', (socket) => {
    const received: string[] = [];
    test.sockets.push(socket);
    test.received.push(received);
    socket.on('message', (data) => {
      received.push(data.toString());
      test.onFrame(socket, data.toString());
    });
  });
  return test;
}

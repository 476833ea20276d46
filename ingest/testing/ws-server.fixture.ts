/** A WebSocket server on loopback that tests drive by hand. */
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export interface TestSocketServer {
  readonly url: string;
  /** Sockets in order of connecting, closed ones too. */
  readonly sockets: WebSocket[];
  /** What each of them was sent. */
  readonly heard: string[][];
  /** Called with every frame that comes in. */
  onFrame: (socket: WebSocket, frame: string) => void;
  close(): Promise<void>;
}

export async function startSocketServer(port = 0): Promise<TestSocketServer> {
  const server = new WebSocketServer({ host: '127.0.0.1', port });
  await new Promise((resolve) => server.once('listening', resolve));
  const test: TestSocketServer = {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets: [],
    heard: [],
    onFrame: () => {},
    close: async () => {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('connection', (socket) => {
    const heard: string[] = [];
    test.sockets.push(socket);
    test.heard.push(heard);
    socket.on('message', (data) => {
      heard.push(data.toString());
      test.onFrame(socket, data.toString());
    });
  });
  return test;
}

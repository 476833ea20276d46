/** A proxy before a gateway, which tests cut and restore: the portal connects to the same URL all the time. */
import { type AddressInfo, createServer, connect as openSocket, type Server, type Socket } from 'node:net';

export interface StreamProxy {
  /** The stream's URL for browsers. */
  readonly url: string;
  /** Forwards to the gateway of this URL from now on. */
  forwardTo(url: string): void;
  /** Ends all connections, and accepts none until `restore`. */
  cut(): void;
  restore(): void;
  /** Connections that are open now. */
  readonly connections: number;
  close(): Promise<void>;
}

export async function startStreamProxy(): Promise<StreamProxy> {
  const sockets = new Set<Socket>();
  let port = 0;
  let isCut = false;
  const server: Server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const upstream = openSocket(port, '127.0.0.1');
    sockets.add(client);
    const end = () => {
      client.destroy();
      upstream.destroy();
      sockets.delete(client);
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/stream`,
    forwardTo(url) {
      port = Number(new URL(url).port);
    },
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    restore() {
      isCut = false;
    },
    get connections() {
      return sockets.size;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

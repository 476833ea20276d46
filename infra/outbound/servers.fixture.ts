/** Servers on this machine for the tests of the client, and a client that counts its connections. */
import { once } from 'node:events';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import { GuardedClient, type GuardedClientOptions } from './guarded-request.ts';
import type { Connect } from './pinned-socket.ts';
import { TEST_CERTIFICATE, TEST_KEY } from './tls.fixture.ts';

export interface TestServer {
  readonly port: number;
  /** Number of accepted connections. */
  connections(): number;
  /** Number of received bytes. */
  bytes(): number;
  close(): Promise<void>;
}

async function started(server: Server): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let bytes = 0;
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => {
      bytes += socket.bytesRead;
      sockets.delete(socket);
    });
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    bytes: () => [...sockets].reduce((sum, socket) => sum + socket.bytesRead, bytes),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A server with plain HTTP. */
export const httpServer = (listener: RequestListener) => started(createHttp(listener));

/** A server with plain TCP, which calls `answer` for each connection after the first bytes of a request. */
export const rawServer = (answer: (socket: Socket) => void) =>
  started(createTcp((socket) => void socket.once('data', () => answer(socket))));

/** A server with TLS and the certificate of the tests. It answers 204 to everything and records the requested names. */
export async function tlsServer(): Promise<TestServer & { readonly names: (string | false | null)[] }> {
  const names: (string | false | null)[] = [];
  const server = createTls({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (socket) => {
    names.push(socket.servername);
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
  });
  return Object.assign(await started(server), { names });
}

/** A client that counts its connections and its lookups. */
export function countingClient(options: GuardedClientOptions = {}) {
  const count = { connects: 0, resolves: 0 };
  const client = new GuardedClient({
    timeoutMs: 5_000,
    ...options,
    connect: (where) => {
      count.connects += 1;
      return (options.connect ?? connect)(where);
    },
    resolve: async (name, signal) => {
      count.resolves += 1;
      if (!options.resolve) throw Object.assign(new Error(`no such name: ${name}`), { code: 'ENOTFOUND' });
      return options.resolve(name, signal);
    },
  });
  const post = (url: string, headers: Record<string, string> = {}, body = '{"a":1}', signal?: AbortSignal) =>
    client.post({ url, headers, body: Buffer.from(body), ...(signal ? { signal } : {}) });
  return { count, post };
}

/** Directs every connection to a server of the test, which pretends to have `remoteAddress` if that is present. */
export const leadingTo =
  (port: number, remoteAddress?: string): Connect =>
  () => {
    const socket = connect(port, '127.0.0.1');
    if (remoteAddress) Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
    return socket;
  };

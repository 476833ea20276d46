import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { brokenCopy, type FaultBoard, type HttpTarget, incompleteCopy } from '../faults/fault-board.ts';

/** A request to a simulated host. */
export interface HostRequest {
  readonly method: string;
  /** Path below the host's prefix, starting with `/`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  /** The tag of the header `if-none-match`. */
  readonly ifNoneMatch?: string | undefined;
}

export interface HostAnswer {
  readonly status: number;
  readonly text: string;
  /** A body that is no text, in place of `text`. */
  readonly bytes?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One of the venues' hosts, identified by a path prefix. */
export interface Host {
  /** Such as `/venue_b.gamma`. */
  readonly prefix: string;
  /** Null if no fault applies to it. */
  readonly target: HttpTarget | null;
  answer(request: HostRequest): HostAnswer | Promise<HostAnswer>;
}

/** A host's WebSocket. */
export interface SocketHost {
  /** The complete path. */
  readonly path: string;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface HttpServer {
  readonly port: number;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function reply(response: ServerResponse, status: number, body: Buffer, headers: HostAnswer['headers'] = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': String(body.length), ...headers });
  response.end(body);
}

/** Sends a part of the body, then closes the connection. */
function cutOff(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': String(body.length) });
  response.write(brokenCopy(body), () => response.destroy());
}

async function serve(hosts: readonly Host[], board: FaultBoard, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', 'http://simulator');
  const host = hosts.find(({ prefix }) => url.pathname === prefix || url.pathname.startsWith(`${prefix}/`));
  const body = await readBody(request);
  if (!host) return reply(response, 404, Buffer.from('{"error":"not found"}'));
  if (body === null) return reply(response, 413, Buffer.from('{"error":"payload too large"}'));
  const fault = board.consumeHttp(host.target);
  if (fault.delayMs > 0) await sleep(fault.delayMs, undefined, { ref: false });
  if (fault.status !== null) {
    const headers: Record<string, string> = fault.status === 429 ? { 'retry-after': '1' } : {};
    return reply(response, fault.status, Buffer.from('{"error":"simulated failure"}'), headers);
  }
  const path = url.pathname.slice(host.prefix.length) || '/';
  const { status, text, bytes, headers } = await host.answer({
    method: request.method ?? 'GET',
    path,
    query: url.searchParams,
    body,
    ifNoneMatch: request.headers['if-none-match'],
  });
  const complete = bytes ?? Buffer.from(text);
  if (fault.isCutOff) return cutOff(response, status, complete);
  if (fault.missing !== null) return reply(response, status, incompleteCopy(complete, fault.missing), headers);
  reply(response, status, fault.isBroken ? brokenCopy(complete) : complete, headers);
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Serves all hosts and sockets on one port. `onError` is called with errors of handlers, which answer 500. */
export async function startHttpServer(
  options: { readonly host: string; readonly port: number },
  hosts: readonly Host[],
  sockets: readonly SocketHost[],
  board: FaultBoard,
  onError: (error: unknown) => void,
): Promise<HttpServer> {
  const server = createServer((request, response) => {
    serve(hosts, board, request, response).catch((error: unknown) => {
      onError(error);
      if (!response.headersSent) reply(response, 500, Buffer.from('{"error":"internal error"}'));
      else response.destroy();
    });
  });
  server.on('upgrade', (request, socket, head) => {
    const path = new URL(request.url ?? '/', 'http://simulator').pathname;
    const found = sockets.find((entry) => entry.path === path);
    if (found) found.upgrade(request, socket, head);
    else socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
  });
  const port = await listen(server, options.host, options.port);
  return {
    port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

/** Endpoints of tenants on loopback, in all the ways in which they answer. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly id: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** Unix ms. */
  readonly at: number;
}

export interface Endpoint {
  readonly url: string;
  readonly received: readonly Received[];
  /** Most requests that were open at one time. */
  readonly openMost: number;
  close(): Promise<void>;
}

/** What an endpoint does with a request; `nth` counts from 1 by event, `all` over all. */
export type Answer = (response: ServerResponse, nth: number, all: number) => void;

export const answers = {
  status:
    (status: number, headers: Record<string, string> = {}): Answer =>
    (response) =>
      void response.writeHead(status, headers).end('secret of the tenant'),
  reset: (response: ServerResponse) => void response.socket?.destroy(),
  silence: () => {},
  slowly:
    (ms: number): Answer =>
    (response) =>
      void setTimeout(() => response.writeHead(200).end(), ms),
  /** Fails each event so often, then takes it. */
  after:
    (failures: number, answer: Answer): Answer =>
    (response, nth, all) =>
      nth > failures ? void response.writeHead(204).end() : answer(response, nth, all),
};

export async function openEndpoint(answer: Answer): Promise<Endpoint> {
  const received: Received[] = [];
  const counts = new Map<string, number>();
  let open = 0;
  let openMost = 0;
  const server = createServer((request, response) => {
    open += 1;
    openMost = Math.max(openMost, open);
    response.on('close', () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      const nth = (counts.get(id) ?? 0) + 1;
      counts.set(id, nth);
      received.push({ id, body: Buffer.concat(chunks).toString('utf8'), headers: request.headers, at: Date.now() });
      answer(response, nth, received.length);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=hidden`,
    received,
    get openMost() {
      return openMost;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

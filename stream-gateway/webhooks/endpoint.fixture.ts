/** Webhook endpoints on loopback, each a separate server. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer } from './endpoint-answers.fixture.ts';

export { type Answer, answers } from './endpoint-answers.fixture.ts';

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
  readonly maxOpen: number;
  close(): Promise<void>;
}

export async function openEndpoint(answer: Answer): Promise<Endpoint> {
  const received: Received[] = [];
  const counts = new Map<string, number>();
  let open = 0;
  let maxOpen = 0;
  const server = createServer((request, response) => {
    open += 1;
    maxOpen = Math.max(maxOpen, open);
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
    get maxOpen() {
      return maxOpen;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

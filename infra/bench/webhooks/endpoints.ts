/** The endpoints of the webhooks, one server for all of them, which holds each request against what it should be. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deliveryOf, goodWebhook, type MixedWebhook, numberOf } from './mix.ts';

/** What came for one webhook. */
export interface Tally {
  /** Requests, by the number of their event. */
  readonly requests: Uint16Array;
  /** Requests in all. */
  received: number;
  /** Unix ms of the last request. */
  lastAt: number;
}

export interface Endpoints {
  readonly port: number;
  readonly tallies: ReadonlyMap<string, Tally>;
  /** Requests of webhooks so far. */
  readonly received: number;
  /** Events that were answered with 2xx so far, each counted once. */
  readonly taken: number;
  /** The first request that was not as it should be; null when all were. */
  readonly fault: string | null;
  close(): Promise<void>;
}

const HOOKS = '/hooks/';
/** Where the bare baseline posts: it is answered as a good endpoint answers, and does not count. */
export const BARE_PATH = `/bare/${goodWebhook(1)}`;

export const urlOf = (port: number, webhookId: string): string => `http://127.0.0.1:${port}${HOOKS}${webhookId}`;

export async function openEndpoints(mix: readonly MixedWebhook[]): Promise<Endpoints> {
  const webhooks = new Map(mix.map((webhook) => [webhook.id, webhook]));
  const tallies = new Map<string, Tally>();
  const takenOf = new Map<string, Uint8Array>();
  for (const { id, deliveries } of mix) {
    tallies.set(id, { requests: new Uint16Array(deliveries), received: 0, lastAt: 0 });
    takenOf.set(id, new Uint8Array(deliveries));
  }
  const state = { received: 0, taken: 0, fault: null as string | null };

  const take = (path: string, eventId: string, body: string, response: ServerResponse): void => {
    const webhookId = path.slice(path.lastIndexOf('/') + 1);
    const webhook = webhooks.get(webhookId);
    const number = numberOf(eventId);
    const expected = webhook && number < webhook.deliveries ? deliveryOf(webhookId, number, 0) : null;
    if (!webhook || expected?.eventId !== eventId || expected.body !== body) {
      state.fault ??= `${path} got the event ${JSON.stringify(eventId)} with the body ${JSON.stringify(body)}`;
      response.writeHead(400).end();
      return;
    }
    if (!path.startsWith(HOOKS)) {
      webhook.answer(response, 1, 1);
      return;
    }
    const [tally, taken] = [tallies.get(webhookId)!, takenOf.get(webhookId)!];
    state.received += 1;
    tally.received += 1;
    tally.lastAt = Date.now();
    const nth = (tally.requests[number] ?? 0) + 1;
    tally.requests[number] = nth;
    response.on('close', () => {
      // An answer that nobody waited for any more is none.
      if (taken[number] || !response.writableFinished || response.statusCode >= 300) return;
      taken[number] = 1;
      state.taken += 1;
    });
    webhook.answer(response, nth, tally.received);
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const body = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8');
      take(request.url!, String(request.headers['webhook-id']), body, response);
    });
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    tallies,
    get received() {
      return state.received;
    },
    get taken() {
      return state.taken;
    },
    get fault() {
      return state.fault;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Serves the endpoints of all webhooks and checks each request against the expected one. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deliveryOf, goodWebhook, type MixedWebhook, numberOf } from './mix.ts';

/** Requests for one webhook. */
export interface Tally {
  /** Number of requests by the number of their event. */
  readonly requests: Uint16Array;
  /** Total number of requests. */
  received: number;
  /** Time of the last request, unix ms. */
  lastAt: number;
}

export interface Endpoints {
  readonly port: number;
  readonly tallies: ReadonlyMap<string, Tally>;
  /** Number of webhook requests so far. */
  readonly received: number;
  /** Number of events that were answered with 2xx so far, each counted once. */
  readonly accepted: number;
  /** Description of the first unexpected request; null if there was none. */
  readonly fault: string | null;
  close(): Promise<void>;
}

const HOOKS = '/hooks/';
/** Path for the baseline: answered like a good endpoint, and not counted. */
export const BARE_PATH = `/bare/${goodWebhook(1)}`;

export const urlOf = (port: number, webhookId: string): string => `http://127.0.0.1:${port}${HOOKS}${webhookId}`;

export async function openEndpoints(mix: readonly MixedWebhook[]): Promise<Endpoints> {
  const webhooks = new Map(mix.map((webhook) => [webhook.id, webhook]));
  const tallies = new Map<string, Tally>();
  const acceptedByWebhook = new Map<string, Uint8Array>();
  for (const { id, deliveries } of mix) {
    tallies.set(id, { requests: new Uint16Array(deliveries), received: 0, lastAt: 0 });
    acceptedByWebhook.set(id, new Uint8Array(deliveries));
  }
  const state = { received: 0, accepted: 0, fault: null as string | null };

  const handleRequest = (path: string, eventId: string, body: string, response: ServerResponse): void => {
    const webhookId = path.slice(path.lastIndexOf('/') + 1);
    const webhook = webhooks.get(webhookId);
    const number = numberOf(eventId);
    const expected = webhook && number < webhook.deliveries ? deliveryOf(webhookId, number, 0) : null;
    if (!webhook || expected?.eventId !== eventId || expected.body !== body) {
      state.fault ??= `${path} received the event ${JSON.stringify(eventId)} with the body ${JSON.stringify(body)}`;
      response.writeHead(400).end();
      return;
    }
    if (!path.startsWith(HOOKS)) {
      webhook.answer(response, 1, 1);
      return;
    }
    const [tally, accepted] = [tallies.get(webhookId)!, acceptedByWebhook.get(webhookId)!];
    state.received += 1;
    tally.received += 1;
    tally.lastAt = Date.now();
    const nth = (tally.requests[number] ?? 0) + 1;
    tally.requests[number] = nth;
    response.on('close', () => {
      // A response that the sender no longer waited for does not count.
      if (accepted[number] || !response.writableFinished || response.statusCode >= 300) return;
      accepted[number] = 1;
      state.accepted += 1;
    });
    webhook.answer(response, nth, tally.received);
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const body = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8');
      handleRequest(request.url!, String(request.headers['webhook-id']), body, response);
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
    get accepted() {
      return state.accepted;
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

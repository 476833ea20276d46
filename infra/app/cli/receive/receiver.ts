/** An HTTP server on loopback that receives webhooks and verifies their signatures. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { isAuthentic } from './is-authentic.ts';

const HOST = '127.0.0.1';
const BODY_BYTES_MAX = 1024 * 1024;
const REQUEST_TIMEOUT_MS = 10_000;

const cloudEvent = z.looseObject({ id: z.string(), type: z.string(), subject: z.string() });

export interface ReceiverOptions {
  /** 0 chooses a free one. */
  readonly port: number;
  /** The signing secret; null until the webhook was created. */
  readonly secret: () => string | null;
  /** Called with one line about each delivery. */
  readonly onDelivery: (line: string) => void;
}

export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

/** Answers 204 for an authentic delivery and 401 for any other; `/health` answers 200 once there is a secret. */
export async function startReceiver({ port, secret, onDelivery }: ReceiverOptions): Promise<Receiver> {
  const receive = async (request: IncomingMessage): Promise<number> => {
    const body = await readBody(request);
    if (body === null) return 413;
    const known = secret();
    const event = known !== null && isAuthentic(request.headers, body, known) ? parseEvent(body) : null;
    const sender = `${request.socket.remoteAddress}`;
    onDelivery(event ? `verified ${event.type} ${event.subject} ${event.id}` : `refused a delivery from ${sender}`);
    return event ? 204 : 401;
  };
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'GET') {
      const isReady = secret() !== null && request.url === '/health';
      response.writeHead(isReady ? 200 : 503).end('{"status":"starting","parts":{}}');
      return;
    }
    receive(request).then(
      (status) => response.writeHead(status).end(),
      // The sender ended the connection.
      () => response.destroy(),
    );
  };
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, answer).listen(port, HOST);
  await once(server, 'listening');
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Null if the body is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Null for a body that is no CloudEvent, which a signed one always is. */
function parseEvent(body: Buffer): z.infer<typeof cloudEvent> | null {
  try {
    return cloudEvent.parse(JSON.parse(body.toString('utf8')));
  } catch {
    return null;
  }
}

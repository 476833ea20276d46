import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '#infra/telemetry/metrics';
import { COMPRESS_ABOVE_BYTES, chooseEncoding, type EncodedBody } from './encodings.ts';
import { secondsSinceStart } from './request-time.ts';

/** Names and values in turn, as Node writes them. */
export type HeaderList = readonly string[];

const NO_HEADERS: HeaderList = [];
const NO_BYTES = Buffer.alloc(0);
const VARY: HeaderList = ['vary', 'accept-encoding'];

export interface SenderOptions {
  readonly metrics: Pick<Metrics, 'httpRequests'>;
  /** Whether plugins, as CORS, put headers on replies. */
  readonly pluginHeaders: boolean;
}

/** Sends answers. Every answer goes out through here, so every answer is counted and carries the same headers. */
export class Sender {
  private readonly options: SenderOptions;
  private closing = false;

  constructor(options: SenderOptions) {
    this.options = options;
  }

  /** From now on every answer ends its connection: one that is kept alive would hold the closing up. */
  beginClosing(): void {
    this.closing = true;
  }

  /** Sends a body in the encoding that the client likes best, if it is large enough to be worth it. */
  encoded(
    request: FastifyRequest,
    reply: FastifyReply,
    statusCode: number,
    body: EncodedBody,
    others = NO_HEADERS,
  ): void | Promise<void> {
    if (body.plain.length <= COMPRESS_ABOVE_BYTES) return this.json(request, reply, statusCode, body.plain, others);
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    if (encoding === null) return this.json(request, reply, statusCode, body.plain, [...VARY, ...others]);
    const headers = [...VARY, 'content-encoding', encoding, ...others];
    return body.in(encoding).then((bytes) => this.json(request, reply, statusCode, bytes, headers));
  }

  /** Sends bytes of JSON as they are. */
  json(request: FastifyRequest, reply: FastifyReply, statusCode: number, body: Buffer, others = NO_HEADERS): void {
    this.bytes(request, reply, statusCode, 'application/json; charset=utf-8', body, others);
  }

  /** Sends 204, which has no body. */
  empty(request: FastifyRequest, reply: FastifyReply, others = NO_HEADERS): void {
    this.write(request, reply, 204, NO_BYTES, [...others]);
  }

  /**
   * Sends bytes as they are, past Fastify's own sending: that looks for hooks, serialisers and types that no
   * answer of ours has, which is much of what a kept answer costs.
   */
  bytes(
    request: FastifyRequest,
    reply: FastifyReply,
    statusCode: number,
    contentType: string,
    body: Buffer,
    others = NO_HEADERS,
  ): void {
    const headers = ['content-type', contentType, 'content-length', String(body.length), ...others];
    this.write(request, reply, statusCode, body, headers);
  }

  private write(
    request: FastifyRequest,
    reply: FastifyReply,
    statusCode: number,
    body: Buffer,
    headers: string[],
  ): void {
    headers.push('x-request-id', request.id, 'cache-control', 'no-store', 'x-content-type-options', 'nosniff');
    if (this.closing) headers.push('connection', 'close');
    if (this.options.pluginHeaders) addPluginHeaders(headers, reply);
    reply.hijack();
    reply.raw.writeHead(statusCode, headers);
    reply.raw.end(body);
    // The declared path, not the one asked for: labels must be few.
    const route = request.routeOptions.url ?? 'unknown';
    // Fastify's `reply.elapsedTime` is always 0 here: it keeps times only where it logs or has hooks for responses.
    const seconds = secondsSinceStart(request.raw);
    this.options.metrics.httpRequests.observe({ route, status: String(statusCode) }, seconds);
  }
}

function addPluginHeaders(headers: string[], reply: FastifyReply): void {
  const added = reply.getHeaders();
  for (const name in added) {
    const value = String(added[name]);
    const at = headers.findIndex((header, index) => index % 2 === 0 && header === name);
    // Both can say what an answer depends on; of other headers ours are the ones that count.
    if (at < 0) headers.push(name, value);
    else if (name === 'vary') headers[at + 1] = `${value}, ${headers[at + 1]}`;
  }
}

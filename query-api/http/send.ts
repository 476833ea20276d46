import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '#infra/telemetry/metrics';
import { COMPRESS_ABOVE_BYTES, chooseEncoding, type EncodedBody, JSON_TYPE } from './encodings.ts';
import { secondsSinceStart } from './request-time.ts';
import { routeLabel } from './route-label.ts';

/** Header names and values alternating, as Node writes them. */
export type HeaderList = readonly string[];

const NO_HEADERS: HeaderList = [];
const NO_BYTES = Buffer.alloc(0);
const VARY: HeaderList = ['vary', 'accept-encoding'];

export interface SenderOptions {
  readonly metrics: Pick<Metrics, 'httpRequests'>;
  /** True if plugins, such as CORS, add headers to replies. */
  readonly pluginHeaders: boolean;
}

/** Sends all responses, so that each of them is counted and carries the common headers. */
export class Sender {
  private readonly options: SenderOptions;
  private closing = false;

  constructor(options: SenderOptions) {
    this.options = options;
  }

  /** From now on every response closes its connection: keep-alive connections would delay the shutdown. */
  beginClosing(): void {
    this.closing = true;
  }

  /** Sends a body, compressed with the encoding that the client prefers if it is large enough. */
  encoded(
    request: FastifyRequest,
    reply: FastifyReply,
    statusCode: number,
    body: EncodedBody,
    others = NO_HEADERS,
  ): void | Promise<void> {
    const { plain, contentType: type } = body;
    if (plain.length <= COMPRESS_ABOVE_BYTES) return this.bytes(request, reply, statusCode, type, plain, others);
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    if (encoding === null) return this.bytes(request, reply, statusCode, type, plain, [...VARY, ...others]);
    const headers = [...VARY, 'content-encoding', encoding, ...others];
    return body.compressedWith(encoding).then((bytes) => this.bytes(request, reply, statusCode, type, bytes, headers));
  }

  /** Sends JSON bytes uncompressed. */
  json(request: FastifyRequest, reply: FastifyReply, statusCode: number, body: Buffer, others = NO_HEADERS): void {
    this.bytes(request, reply, statusCode, JSON_TYPE, body, others);
  }

  /** Sends 204, which has no body. */
  empty(request: FastifyRequest, reply: FastifyReply, others = NO_HEADERS): void {
    this.write(request, reply, 204, NO_BYTES, [...others]);
  }

  /** Sends 304, which has no body: the client has the current one, in whatever encoding. */
  notModified(request: FastifyRequest, reply: FastifyReply, others: HeaderList): void {
    this.write(request, reply, 304, NO_BYTES, [...VARY, ...others]);
  }

  /**
   * Sends bytes without `reply.send`: Fastify would look for hooks, serialisers and types that no response here has,
   * which is a large part of the cost of a cached response.
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
    headers.push('x-request-id', request.id, 'x-content-type-options', 'nosniff');
    if (!headers.includes('cache-control')) headers.push('cache-control', 'no-store');
    if (this.closing) headers.push('connection', 'close');
    if (this.options.pluginHeaders) addPluginHeaders(headers, reply);
    reply.hijack();
    reply.raw.writeHead(statusCode, headers);
    reply.raw.end(body);
    const route = routeLabel(request);
    // Fastify's `reply.elapsedTime` is always 0 here: Fastify measures it only with logging or response hooks.
    const seconds = secondsSinceStart(request.raw);
    this.options.metrics.httpRequests.observe({ route, status: String(statusCode) }, seconds);
  }
}

function addPluginHeaders(headers: string[], reply: FastifyReply): void {
  const added = reply.getHeaders();
  for (const name in added) {
    const value = String(added[name]);
    const at = headers.findIndex((header, index) => index % 2 === 0 && header === name);
    // `vary` is merged; for other headers the value set here takes precedence.
    if (at < 0) headers.push(name, value);
    else if (name === 'vary') headers[at + 1] = `${value}, ${headers[at + 1]}`;
  }
}

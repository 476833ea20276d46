/** Sends every error response in the error envelope (specification, Errors). */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '#schemas/errors';
import { errorEnvelope } from '#schemas/http/error-envelope';
import { CommandRefusal } from './commands.ts';
import { requestIdOf } from './request-id.ts';
import type { HeaderList, Sender } from './send.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends errors, and logs failures of the service or of a venue with the request id that the client receives. */
export class ErrorSender {
  private readonly logger: Logger;
  private readonly sender: Sender;

  constructor(logger: Logger, sender: Sender) {
    this.logger = logger;
    this.sender = sender;
  }

  /** @param others additional headers, names and values alternating. */
  send(request: FastifyRequest, reply: FastifyReply, fault: unknown, others: HeaderList = []): void {
    const error = toApiError(fault);
    const route = request.routeOptions.url;
    // An error that only asks the client to retry is not logged: retries while the service starts would fill the log.
    const isLogged = error.status >= 500 && (error.retryAfterSeconds === null || error.cause !== undefined);
    if (isLogged) this.logger.error({ error: fault, requestId: request.id, route }, 'a request failed');
    const headers = [...others];
    if (error.retryAfterSeconds !== null) headers.push('retry-after', String(error.retryAfterSeconds));
    if (error instanceof CommandRefusal && error.isReplayed) headers.push('idempotent-replayed', 'true');
    if (error.status === 401) headers.push('www-authenticate', 'Bearer');
    const body = Buffer.from(JSON.stringify(errorEnvelope(error, request.id)));
    this.sender.json(request, reply, error.status, body, headers);
  }
}

/** Makes the application use the envelope wherever Fastify would send its own error response. */
export function handleErrors(app: FastifyInstance, errors: ErrorSender): void {
  const notFound = (request: FastifyRequest) =>
    new ApiError('not_found', `no route ${request.method} ${pathOf(request.url)}`);
  // Without a route the error is 404, even if the body is invalid too.
  app.setErrorHandler((error, request, reply) =>
    errors.send(request, reply, request.is404 ? notFound(request) : error),
  );
  app.setNotFoundHandler((request, reply) => errors.send(request, reply, notFound(request)));
}

/**
 * Sends the envelope for two errors that Node would answer with an empty body: HTTP/1.1 without `Host`, which Node has
 * to be configured to let through, and an unsupported `Expect`.
 */
export function handleProtocolErrors(app: FastifyInstance, errors: ErrorSender): void {
  app.addHook('onRequest', (request, reply, next) => {
    const { headers, httpVersionMinor } = request.raw;
    if (headers.host !== undefined || httpVersionMinor === 0) next();
    else errors.send(request, reply, new ApiError('bad_request', 'Host: header is missing'));
  });
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const requestId = requestIdOf(request);
    const error = new ApiError('bad_request', 'Expect: only 100-continue is supported', { status: 417 });
    const body = JSON.stringify(errorEnvelope(error, requestId));
    const length = Buffer.byteLength(body);
    const headers = {
      'content-type': JSON_TYPE,
      'content-length': length,
      'x-request-id': requestId,
      connection: 'close',
    };
    response.writeHead(error.status, headers).end(body);
  });
}

function pathOf(url: string): string {
  return url.split('?', 1)[0]!.slice(0, 200);
}

/** Maps Fastify's own errors to the codes of the specification; anything unexpected becomes `internal_error`. */
function toApiError(fault: unknown): ApiError {
  if (fault instanceof ApiError) return fault;
  const { statusCode, code } = fault as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('validation_failed', 'body: is larger than 1 MiB', { status: 413 });
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ApiError('bad_request', 'body: must be JSON, sent as application/json');
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY') return new ApiError('bad_request', 'body: is not valid JSON');
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return new ApiError('bad_request', 'Content-Length: must be the size of the body');
  if (code === 'FST_ERR_BAD_URL') return new ApiError('bad_request', 'path: is not a valid URL');
  // All other client errors of Fastify arise while it reads a body.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError('bad_request', `body: ${(fault as Error).message}`);
  return new ApiError('internal_error', 'the service failed; quote the requestId when reporting it', { cause: fault });
}

/** Status, reason phrase and message for each error code of Node's HTTP parser. */
const CLIENT_ERRORS: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'headers: are larger than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'request: was not complete within 30 s'],
  HPE_INVALID_METHOD: [400, 'Bad Request', 'method: is not an HTTP method'],
  HPE_INVALID_URL: [400, 'Bad Request', 'path: is not a valid URL'],
  HPE_INVALID_VERSION: [400, 'Bad Request', 'version: must be HTTP/1.1'],
  HPE_INVALID_HEADER_TOKEN: [400, 'Bad Request', 'headers: contain an invalid character'],
  HPE_INVALID_CONTENT_LENGTH: [400, 'Bad Request', 'Content-Length: must be the size of the body'],
  HPE_UNEXPECTED_CONTENT_LENGTH: [
    400,
    'Bad Request',
    'Content-Length: must be sent once, and not with Transfer-Encoding',
  ],
  HPE_INVALID_TRANSFER_ENCODING: [400, 'Bad Request', 'Transfer-Encoding: must be chunked'],
  HPE_INVALID_CHUNK_SIZE: [400, 'Bad Request', 'body: contains an invalid chunk'],
};
const MALFORMED_REQUEST = [400, 'Bad Request', 'request: is not valid HTTP'] as const;

/** Answers input that is not a valid or complete HTTP request, and closes the connection. */
export function handleClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, phrase, message] = CLIENT_ERRORS[error.code ?? ''] ?? MALFORMED_REQUEST;
  const requestId = randomUUID();
  const body = JSON.stringify(errorEnvelope(new ApiError('bad_request', message, { status }), requestId));
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\ncontent-type: ${JSON_TYPE}\r\nx-request-id: ${requestId}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

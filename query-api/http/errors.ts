/** Every answer that is an error, in the one envelope (specification, Errors). */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '#schemas/errors';
import { errorEnvelope } from '#schemas/http/error-envelope';
import { CommandRefusal } from './commands.ts';
import type { HeaderList, Sender } from './send.ts';

/** Sends errors; those that are the service's or a venue's fault are logged under the request id that the client is told. */
export class ErrorSender {
  private readonly logger: Logger;
  private readonly sender: Sender;

  constructor(logger: Logger, sender: Sender) {
    this.logger = logger;
    this.sender = sender;
  }

  /** @param others headers of this error alone, names and values in turn. */
  send(request: FastifyRequest, reply: FastifyReply, fault: unknown, others: HeaderList = []): void {
    const error = toApiError(fault);
    const route = request.routeOptions.url;
    if (error.status >= 500) this.logger.error({ error: fault, requestId: request.id, route }, 'a request failed');
    const headers = [...others];
    if (error.retryAfterSeconds !== null) headers.push('retry-after', String(error.retryAfterSeconds));
    if (error instanceof CommandRefusal && error.isReplayed) headers.push('idempotent-replayed', 'true');
    if (error.status === 401) headers.push('www-authenticate', 'Bearer');
    const body = Buffer.from(JSON.stringify(errorEnvelope(error, request.id)));
    this.sender.json(request, reply, error.status, body, headers);
  }
}

/** Makes the application answer in the envelope wherever Fastify would answer by itself. */
export function answerErrors(app: FastifyInstance, errors: ErrorSender): void {
  const notFound = (request: FastifyRequest) =>
    new ApiError('not_found', `no route ${request.method} ${pathOf(request.url)}`);
  // Where there is no route, that is what is wrong, whatever the body is.
  app.setErrorHandler((error, request, reply) =>
    errors.send(request, reply, request.is404 ? notFound(request) : error),
  );
  app.setNotFoundHandler((request, reply) => errors.send(request, reply, notFound(request)));
}

function pathOf(url: string): string {
  return url.split('?', 1)[0]!.slice(0, 200);
}

/** Fastify's own refusals in the words of the specification; anything unforeseen is a fault of the service. */
export function toApiError(fault: unknown): ApiError {
  if (fault instanceof ApiError) return fault;
  const { statusCode, code } = fault as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('validation_failed', 'body: is larger than 1 MiB', { status: 413 });
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ApiError('bad_request', 'the body must be application/json');
  if (code === 'FST_ERR_BAD_URL') return new ApiError('bad_request', 'the path is no valid URL');
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return new ApiError('not_found', 'no such route');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError('bad_request', (fault as Error).message);
  return new ApiError('internal_error', 'the service failed; quote the requestId when you report it', { cause: fault });
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'the request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'the request was not complete within 30 s'],
};

/** Answers what is no HTTP request, or never became one; the connection ends with it. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, phrase, message] = CLIENT_ERRORS[error.code ?? ''] ?? [400, 'Bad Request', 'this is no HTTP request'];
  const requestId = randomUUID();
  const body = JSON.stringify(errorEnvelope(new ApiError('bad_request', message, { status }), requestId));
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${requestId}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Authenticated, Authenticator } from '#infra/control/authenticator';
import type { HttpRequest, HttpResponse } from '#infra/uws';
import { ApiError } from '#schemas/errors';
import { errorEnvelope } from '#schemas/http/error-envelope';
import { isRequestId } from '#schemas/http/request-id';
import type { SocketData } from './connection.ts';

/** Prefix of the subprotocol that carries a token, since query strings end up in logs. */
const BEARER_PROTOCOL = 'bearer.';
const RETRY_AFTER_SECONDS = 1;

/** Reason phrases of the refusals below; HTTP asks for one. */
const PHRASES: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

export interface UpgradeOptions {
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  /** Open sockets of a key. */
  readonly socketsOf: (keyId: string) => number;
  readonly socketsPerKeyMax: number;
  /** True once the node has begun to stop. */
  readonly isClosing: () => boolean;
}

/** What of a request is needed after the first wait; the request object itself is gone by then. */
interface Handshake {
  readonly token: string | null;
  readonly requestId: string;
  readonly key: string;
  readonly protocol: string;
  readonly extensions: string;
}

type Context = Parameters<HttpResponse['upgrade']>[4];

/** Refuses a bad token with 401 and too many sockets of one key with 429; upgrades the others. */
export function createUpgrade(options: UpgradeOptions) {
  return (res: HttpResponse, req: HttpRequest, context: Context): void => {
    const handshake = readHandshake(req);
    let aborted = false;
    res.onAborted(() => {
      aborted = true;
    });
    const settle = (found: Authenticated | null, failure: unknown) => {
      if (aborted) return;
      // Counted here and not before the wait: an upgrade opens its socket at once, so no two count the same place.
      const refusal = failure === null ? refusalOf(options, found) : asApiError(options.logger, failure);
      res.cork(() => {
        if (refusal) refuse(res, refusal, handshake.requestId);
        else res.upgrade(dataOf(found!), handshake.key, handshake.protocol, handshake.extensions, context);
      });
    };
    const { token } = handshake;
    if (token === null) settle(null, null);
    else
      options.authenticator
        .authenticate(token)
        .then(
          (found) => settle(found, null),
          (error: unknown) => settle(null, error),
        )
        .catch((error: unknown) => options.logger.error({ error }, 'an upgrade failed'));
  };
}

/** Answers what is no upgrade of `/v1/stream`. */
export function notFound(res: HttpResponse, req: HttpRequest): void {
  refuse(res, new ApiError('not_found', 'only WebSocket upgrades of /v1/stream are served here'), requestIdOf(req));
}

function refusalOf(options: UpgradeOptions, found: Authenticated | null): ApiError | null {
  if (!found) return new ApiError('unauthenticated', 'missing or invalid token');
  const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  if (options.isClosing())
    return new ApiError('internal_error', 'this node stops; try again', { status: 503, ...retry });
  if (options.socketsOf(found.key.id) >= options.socketsPerKeyMax)
    return new ApiError('quota_exceeded', 'too many open sockets of this key', retry);
  return null;
}

function asApiError(logger: Logger, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  logger.error({ error }, 'a token could not be checked');
  return new ApiError('internal_error', 'the service failed; try again');
}

function dataOf({ key }: Authenticated): SocketData {
  return { principal: { keyId: key.id, orgId: key.orgId, scopes: key.scopes, sandbox: key.sandbox }, connection: null };
}

function readHandshake(req: HttpRequest): Handshake {
  const protocols = req
    .getHeader('sec-websocket-protocol')
    .split(',')
    .map((name) => name.trim());
  const bearer = protocols.find((name) => name.startsWith(BEARER_PROTOCOL));
  const header = /^Bearer (\S+)$/i.exec(req.getHeader('authorization'))?.[1];
  const token = header ?? bearer?.slice(BEARER_PROTOCOL.length) ?? req.getQuery('token');
  return {
    token: token || null,
    requestId: requestIdOf(req),
    key: req.getHeader('sec-websocket-key'),
    // A client that offered the protocol takes no answer without it.
    protocol: bearer ?? '',
    extensions: req.getHeader('sec-websocket-extensions'),
  };
}

function requestIdOf(req: HttpRequest): string {
  const given = req.getHeader('x-request-id');
  return isRequestId(given) ? given : randomUUID();
}

function refuse(res: HttpResponse, error: ApiError, requestId: string): void {
  res.writeStatus(`${error.status} ${PHRASES[error.status] ?? 'Error'}`);
  res.writeHeader('content-type', 'application/json; charset=utf-8');
  res.writeHeader('x-request-id', requestId);
  if (error.retryAfterSeconds !== null) res.writeHeader('retry-after', String(error.retryAfterSeconds));
  res.end(JSON.stringify(errorEnvelope(error, requestId)));
}

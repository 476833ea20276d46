import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Authenticator } from '#infra/control/authenticator';
import type { ActiveKey, ActiveSession } from '#schemas/domain/control/lookups';
import type { KeyUses } from '#schemas/domain/quota/key-uses';
import { ApiError, unavailable } from '#schemas/errors';
import { parseBearer } from '#schemas/http/bearer';
import { errorEnvelope } from '#schemas/http/error-envelope';
import { isRequestId } from '#schemas/http/request-id';
import type { SocketData } from './connection.ts';
import type { LateCork } from './late-cork.ts';
import { authenticateSession, CSRF_PROTOCOL, type SessionRequest, type SessionSources } from './session.ts';
import type { HttpRequest, HttpResponse } from './uws.ts';

/** Prefix of the subprotocol that carries a token, as an alternative to query strings, which end up in logs. */
const BEARER_PROTOCOL = 'bearer.';
/** `Retry-After` in seconds for a key that has too many sockets. */
const RETRY_AFTER_SECONDS = 1;

/** Reason phrases of the statuses below; HTTP requires one. */
const PHRASES: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

export interface UpgradeOptions extends SessionSources {
  readonly authenticator: Authenticator;
  readonly keyUses: Pick<KeyUses, 'mark'>;
  readonly logger: Logger;
  /** Open sockets of a key. */
  readonly socketsOf: (keyId: string) => number;
  readonly socketsPerKeyMax: number;
  /** True once the node has begun to stop. */
  readonly isClosing: () => boolean;
  /** The cork for upgrades after a wait. */
  readonly lateCork: Pick<LateCork, 'run'>;
}

/** The parts of a request that are needed after the first wait; the request object is invalid by then. */
interface Handshake {
  readonly token: string | null;
  readonly session: SessionRequest;
  readonly requestId: string;
  readonly key: string;
  readonly protocol: string;
  readonly extensions: string;
}

/** The key of a client, with the session that it was identified by, if it sent no token. */
type Identity = ActiveKey & Partial<Pick<ActiveSession, 'session'>>;

type Context = Parameters<HttpResponse['upgrade']>[4];

/** Upgrades connections. Refuses a bad token with 401 and too many sockets of one key with 429. */
export function createUpgrade(options: UpgradeOptions) {
  return (res: HttpResponse, req: HttpRequest, context: Context): void => {
    // Required by RFC 6455 (4.2.1). An upgrade of a request that ends its connection would also leave the library with
    // a freed socket.
    if (!hasUpgradeOption(req.getHeader('connection'))) {
      notFound(res, req);
      return;
    }
    const handshake = readHandshake(req);
    const { requestId, key, protocol, extensions } = handshake;
    // Checked when it is answered and not before a wait: an upgrade opens its socket at once, so no two use the same
    // slot.
    const respond = (found: Identity | null, isLate: boolean) => {
      if (found) options.keyUses.mark(found.key.id, Date.now());
      const refusal = refusalOf(options, found);
      const upgrade = () => res.upgrade(socketDataOf(found!), key, protocol, extensions, context);
      if (refusal) res.cork(() => refuse(res, refusal, requestId));
      else if (isLate) options.lateCork.run(upgrade);
      else upgrade();
    };
    const fail = (error: unknown) => res.cork(() => refuse(res, asApiError(options.logger, error), requestId));
    let known: Identity | null | undefined;
    try {
      // A token takes precedence over a cookie.
      known =
        handshake.token === null
          ? authenticateSession(options, handshake.session)
          : options.authenticator.authenticateKnown(handshake.token);
    } catch (error) {
      fail(error);
      return;
    }
    if (known !== undefined) {
      respond(known, false);
      return;
    }
    let aborted = false;
    res.onAborted(() => {
      aborted = true;
    });
    options.authenticator
      .authenticate(handshake.token!)
      .then(
        (found) => aborted || respond(found, true),
        (error: unknown) => aborted || fail(error),
      )
      .catch((error: unknown) => options.logger.error({ error }, 'a WebSocket upgrade failed'));
  };
}

/** Answers requests that are no upgrade of `/v1/stream`. */
export function notFound(res: HttpResponse, req: HttpRequest): void {
  refuse(res, new ApiError('not_found', 'only WebSocket upgrades of /v1/stream are served here'), requestIdOf(req));
}

function refusalOf(options: UpgradeOptions, found: Identity | null): ApiError | null {
  if (!found) return new ApiError('unauthenticated', 'missing or invalid token');
  if (options.isClosing()) return unavailable('this node is stopping; try again');
  if (options.socketsOf(found.key.id) >= options.socketsPerKeyMax)
    return new ApiError('quota_exceeded', 'too many open sockets of this key', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  return null;
}

function asApiError(logger: Logger, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  logger.error({ error }, 'could not check a token');
  return new ApiError('internal_error', 'the service failed; try again');
}

function hasUpgradeOption(connection: string): boolean {
  return connection.split(',').some((option) => option.trim().toLowerCase() === 'upgrade');
}

function socketDataOf({ key, session }: Identity): SocketData {
  const { id: keyId, orgId, scopes, sandbox } = key;
  return { principal: { keyId, orgId, scopes, sandbox, session: session?.digest ?? null }, connection: null };
}

function readHandshake(req: HttpRequest): Handshake {
  const protocols = req
    .getHeader('sec-websocket-protocol')
    .split(',')
    .map((name) => name.trim());
  const bearer = protocols.find((name) => name.startsWith(BEARER_PROTOCOL));
  const header = parseBearer(req.getHeader('authorization'));
  const token = header ?? bearer?.slice(BEARER_PROTOCOL.length) ?? (req.getQuery('token') || null);
  const csrfProtocol = protocols.find((name) => name.startsWith(CSRF_PROTOCOL));
  return {
    token: token || null,
    session: {
      cookie: req.getHeader('cookie'),
      origin: req.getHeader('origin'),
      host: req.getHeader('host'),
      csrfProtocol,
    },
    requestId: requestIdOf(req),
    key: req.getHeader('sec-websocket-key'),
    // A client that offered the protocol accepts no answer without it.
    protocol: bearer ?? csrfProtocol ?? '',
    extensions: req.getHeader('sec-websocket-extensions'),
  };
}

function requestIdOf(req: HttpRequest): string {
  const header = req.getHeader('x-request-id');
  return isRequestId(header) ? header : randomUUID();
}

function refuse(res: HttpResponse, error: ApiError, requestId: string): void {
  res.writeStatus(`${error.status} ${PHRASES[error.status] ?? 'Error'}`);
  res.writeHeader('content-type', 'application/json; charset=utf-8');
  res.writeHeader('x-request-id', requestId);
  if (error.retryAfterSeconds !== null) res.writeHeader('retry-after', String(error.retryAfterSeconds));
  res.end(JSON.stringify(errorEnvelope(error, requestId)));
}

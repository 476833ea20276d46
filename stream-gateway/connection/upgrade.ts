import type { Logger } from 'pino';
import type { Authenticator } from '#infra/control/authenticator';
import type { HttpRequest, HttpResponse } from '#infra/uws';
import type { SocketData } from './connection.ts';

/** Prefix of the subprotocol that carries a token, since query strings end up in logs. */
const BEARER_PROTOCOL = 'bearer.';

export interface UpgradeOptions {
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly socketsOf: (keyId: string) => number;
  readonly socketsPerKeyMax: number;
}

/** What of a request is needed after the first wait; the request object itself is gone by then. */
interface Handshake {
  readonly token: string | null;
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
    admit(options, handshake).then(
      (outcome) => {
        if (aborted) return;
        res.cork(() => {
          if ('status' in outcome) refuse(res, outcome);
          else res.upgrade<SocketData>(outcome, handshake.key, handshake.protocol, handshake.extensions, context);
        });
      },
      (error) => {
        options.logger.error({ error }, 'an upgrade failed');
        if (!aborted) res.cork(() => refuse(res, REFUSALS.internal));
      },
    );
  };
}

const REFUSALS = {
  unauthenticated: { status: '401 Unauthorized', code: 'unauthenticated', message: 'missing or invalid token' },
  tooMany: { status: '429 Too Many Requests', code: 'quota_exceeded', message: 'too many open sockets of this key' },
  internal: { status: '500 Internal Server Error', code: 'internal_error', message: 'the service failed; try again' },
} as const;
type Refusal = (typeof REFUSALS)[keyof typeof REFUSALS];

async function admit(options: UpgradeOptions, { token }: Handshake): Promise<SocketData | Refusal> {
  const found = token === null ? null : await options.authenticator.authenticate(token);
  if (!found) return REFUSALS.unauthenticated;
  const { key } = found;
  if (options.socketsOf(key.id) >= options.socketsPerKeyMax) return REFUSALS.tooMany;
  return { principal: { keyId: key.id, orgId: key.orgId, scopes: key.scopes, sandbox: key.sandbox }, connection: null };
}

function readHandshake(req: HttpRequest): Handshake {
  const protocols = req
    .getHeader('sec-websocket-protocol')
    .split(',')
    .map((name) => name.trim());
  const bearer = protocols.find((name) => name.startsWith(BEARER_PROTOCOL));
  const header = /^Bearer (\S+)$/i.exec(req.getHeader('authorization'))?.[1];
  const token = header ?? bearer?.slice(BEARER_PROTOCOL.length) ?? req.getQuery('token') ?? null;
  return {
    token: token || null,
    key: req.getHeader('sec-websocket-key'),
    // A client that offered the protocol takes no answer without it.
    protocol: bearer ?? '',
    extensions: req.getHeader('sec-websocket-extensions'),
  };
}

function refuse(res: HttpResponse, { status, code, message }: Refusal): void {
  res.writeStatus(status).writeHeader('content-type', 'application/json');
  res.end(JSON.stringify({ error: { code, message, requestId: null } }));
}

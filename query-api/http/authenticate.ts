import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Authenticated, Authenticator } from '#infra/control/authenticator';
import type { ControlReplica } from '#infra/control/control-replica';
import { findSession } from '#infra/control/find-session';
import { csrfOf, isCsrfOf } from '#infra/control/session-cookie';
import type { ActiveKey } from '#schemas/domain/control/lookups';
import type { KeyUses } from '#schemas/domain/quota/key-uses';
import { ApiError } from '#schemas/errors';
import { parseBearer } from '#schemas/http/bearer';
import { type Caller, type CallerSession, missingScopeCode, type Route } from '../routes/route.ts';

/** The caller of a request: a key, identified by its token or by a portal session that was opened with it. */
export interface Identity extends ActiveKey {
  readonly session?: CallerSession;
}

/** Where keys and sessions are looked up. */
export interface IdentitySources {
  readonly authenticator: Authenticator;
  readonly control: Pick<ControlReplica, 'state' | 'isCurrent'>;
  readonly keyUses: Pick<KeyUses, 'mark'>;
  /** Unix ms. */
  readonly wallNow: () => number;
}

/**
 * The last successful authentication of each connection. While a client repeats the same header, only the key is looked
 * up again and no secret is hashed. The header is stored for as long as its connection is open, and compared in
 * constant time: a proxy may carry several clients over one connection.
 */
const lastAuthentications = new WeakMap<object, { readonly authorization: Buffer; readonly found: Authenticated }>();

/**
 * Authenticates a request and checks the scope. Throws, or rejects with, 401 `unauthenticated`, or 403 with the code of
 * the route's family. A key whose secret this node has verified before is checked synchronously, so the result is not
 * always a promise. A token takes precedence over a cookie.
 */
export function authenticate(
  sources: IdentitySources,
  route: Route,
  request: FastifyRequest,
): Identity | Promise<Identity> {
  const { authenticator, control } = sources;
  const { socket, headers } = request.raw;
  const { authorization } = headers;
  if (authorization === undefined) return authorize(sources, route, authenticateSession(control, request));
  const last = lastAuthentications.get(socket);
  if (last !== undefined && isSame(last.authorization, authorization))
    return authorize(sources, route, authenticator.authenticateAgain(last.found));
  const token = parseBearer(authorization);
  if (token === null) throw missingToken();
  const known = authenticator.authenticateKnown(token);
  if (known) lastAuthentications.set(socket, { authorization: Buffer.from(authorization, 'latin1'), found: known });
  if (known !== undefined) return authorize(sources, route, known);
  return authenticator.authenticate(token).then((found) => authorize(sources, route, found));
}

/** The caller as handlers see it. */
export function callerOf({ key, organization, session }: Identity): Caller {
  const { orgId, id: keyId, userId, sandbox, scopes } = key;
  return { orgId, keyId, userId, sandbox, scopes, plan: organization.plan, session: session ?? null };
}

function authenticateSession(control: IdentitySources['control'], request: FastifyRequest): Identity {
  const found = findSession(control, request.headers.cookie);
  if (!found) throw missingToken();
  const isChange = request.method !== 'GET' && request.method !== 'HEAD';
  if (isChange && !isCsrfOf(found.cookie, request.headers['x-parallax-csrf']))
    throw new ApiError('forbidden_scope', 'X-Parallax-Csrf: must equal the csrf value returned by GET /v1/session');
  const { cookie, key, organization, session } = found;
  const { digest, expiresAt } = session;
  return { key, organization, session: { digest, expiresAt, csrf: csrfOf(cookie) } };
}

function isSame(expected: Buffer, header: string): boolean {
  return expected.length === header.length && timingSafeEqual(expected, Buffer.from(header, 'latin1'));
}

function missingToken(): ApiError {
  return new ApiError('unauthenticated', 'missing or malformed Authorization header; send "Bearer <API key>"');
}

function authorize({ keyUses, wallNow }: IdentitySources, route: Route, found: Identity | null): Identity {
  if (!found) throw new ApiError('unauthenticated', 'the API key is unknown or was revoked');
  keyUses.mark(found.key.id, wallNow());
  const { scope } = route;
  if (scope !== 'any' && scope !== null && !found.key.scopes.includes(scope))
    throw new ApiError(missingScopeCode(route), `this route needs the scope ${scope}, which the key lacks`);
  return found;
}

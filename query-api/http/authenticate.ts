import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Authenticated, Authenticator } from '#infra/control/authenticator';
import type { ControlHost } from '#infra/control/control-host';
import { type GoodKey, goodSession } from '#schemas/domain/control/lookups';
import { ApiError, unavailable } from '#schemas/errors';
import { type Caller, type CallerSession, missingScopeCode, type Route } from '../routes/route.ts';
import { csrfOf, digestOf, isCsrfOf, readCookie } from './session-cookie.ts';

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/** Who asks: a key, by its token or by a portal session that was opened with it. */
export interface Identity extends GoodKey {
  readonly session?: CallerSession;
}

/** What knows keys and sessions. */
export interface Identities {
  readonly authenticator: Authenticator;
  readonly control: Pick<ControlHost, 'state' | 'isCurrent'>;
}

/**
 * What a connection last authenticated with. A client shows the same header with each of its requests; while it does,
 * only the key is looked up again, and no secret digested. The header is kept for as long as its connection is open, and
 * compared in constant time: a proxy may carry several clients over one connection.
 */
const shown = new WeakMap<object, { readonly authorization: Buffer; readonly found: Authenticated }>();

/**
 * The key of a request. Throws, or rejects with, 401 `unauthenticated` and 403 with the code of the route's family. A
 * key that this node knows is checked without waiting, hence not always a promise. A token counts before a cookie.
 */
export function authenticate(
  { authenticator, control }: Identities,
  route: Route,
  request: FastifyRequest,
): Identity | Promise<Identity> {
  const { socket, headers } = request.raw;
  const { authorization } = headers;
  if (authorization === undefined) return admit(route, bySession(control, request));
  const before = shown.get(socket);
  if (before !== undefined && isSame(before.authorization, authorization))
    return admit(route, authenticator.authenticateAgain(before.found));
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) throw noToken();
  const known = authenticator.authenticateKnown(token);
  if (known) shown.set(socket, { authorization: Buffer.from(authorization, 'latin1'), found: known });
  if (known !== undefined) return admit(route, known);
  return authenticator.authenticate(token).then((found) => admit(route, found));
}

/** The caller as handlers are told. */
export function callerOf({ key, organization, session }: Identity): Caller {
  const { orgId, id: keyId, userId, sandbox, scopes } = key;
  return { orgId, keyId, userId, sandbox, scopes, plan: organization.plan, session: session ?? null };
}

function bySession(control: Identities['control'], request: FastifyRequest): Identity {
  const cookie = readCookie(request.headers.cookie);
  if (cookie === null) throw noToken();
  // A session may have ended that the state still holds.
  if (!control.isCurrent) throw unavailable('this node cannot check sessions now; try again');
  const found = goodSession(control.state, digestOf(cookie), Date.now());
  if (!found) throw new ApiError('unauthenticated', 'the session is over; sign in again');
  const changes = request.method !== 'GET' && request.method !== 'HEAD';
  if (changes && !isCsrfOf(cookie, request.headers['x-parallax-csrf']))
    throw new ApiError('forbidden_scope', 'X-Parallax-Csrf: must be what GET /v1/session tells');
  const { key, organization, session } = found;
  const { digest, expiresAt } = session;
  return { key, organization, session: { digest, expiresAt, csrf: csrfOf(cookie) } };
}

function isSame(before: Buffer, header: string): boolean {
  return before.length === header.length && timingSafeEqual(before, Buffer.from(header, 'latin1'));
}

function noToken(): ApiError {
  return new ApiError('unauthenticated', 'missing or malformed Authorization header; send "Bearer <API key>"');
}

function admit(route: Route, found: Identity | null): Identity {
  if (!found) throw new ApiError('unauthenticated', 'the API key is not known or was revoked');
  const { scope } = route;
  if (scope !== 'any' && scope !== null && !found.key.scopes.includes(scope))
    throw new ApiError(missingScopeCode(route), `this route needs the scope ${scope}, which the key lacks`);
  return found;
}

import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Authenticated, Authenticator } from '#infra/control/authenticator';
import type { Key, Scope } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import { missingScopeCode, type Route } from '../routes/route.ts';

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/**
 * What a connection last authenticated with. A client shows the same header with each of its requests; while it does,
 * only the key is looked up again, and no secret digested. The header is kept for as long as its connection is open, and
 * compared in constant time: a proxy may carry several clients over one connection.
 */
const shown = new WeakMap<object, { readonly authorization: Buffer; readonly found: Authenticated }>();

/**
 * The key of a request. Throws, or rejects with, 401 `unauthenticated` and 403 with the code of the route's family. A
 * key that this node knows is checked without waiting, hence not always a promise.
 */
export function authenticate(
  authenticator: Authenticator,
  route: Route,
  scope: Scope,
  request: FastifyRequest,
): Key | Promise<Key> {
  const { socket, headers } = request.raw;
  const { authorization } = headers;
  const before = shown.get(socket);
  if (before !== undefined && authorization !== undefined && isSame(before.authorization, authorization))
    return admit(route, scope, authenticator.authenticateAgain(before.found)?.key ?? null);
  const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (token === undefined)
    throw new ApiError('unauthenticated', 'missing or malformed Authorization header; send "Bearer <API key>"');
  const known = authenticator.authenticateKnown(token);
  if (known) shown.set(socket, { authorization: Buffer.from(authorization!, 'latin1'), found: known });
  if (known !== undefined) return admit(route, scope, known?.key ?? null);
  return authenticator.authenticate(token).then((found) => admit(route, scope, found?.key ?? null));
}

function isSame(before: Buffer, header: string): boolean {
  return before.length === header.length && timingSafeEqual(before, Buffer.from(header, 'latin1'));
}

function admit(route: Route, scope: Scope, key: Key | null): Key {
  if (!key) throw new ApiError('unauthenticated', 'the API key is not known or was revoked');
  if (!key.scopes.includes(scope))
    throw new ApiError(missingScopeCode(route), `this route needs the scope ${scope}, which the key lacks`);
  return key;
}

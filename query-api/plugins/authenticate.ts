import type { Authenticator } from '#infra/control/authenticator';
import type { Key, Scope } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import { missingScopeCode, type Route } from '../route.ts';

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/**
 * The key of a request. Throws, or rejects with, 401 `unauthenticated` and 403 with the code of the route's family. A
 * key that this node knows is checked without waiting, hence not always a promise.
 */
export function authenticate(
  authenticator: Authenticator,
  route: Route,
  scope: Scope,
  authorization: string | undefined,
): Key | Promise<Key> {
  const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (token === undefined)
    throw new ApiError('unauthenticated', 'missing or malformed Authorization header; send "Bearer <API key>"');
  const known = authenticator.authenticateKnown(token);
  if (known !== undefined) return admit(route, scope, known?.key ?? null);
  return authenticator.authenticate(token).then((found) => admit(route, scope, found?.key ?? null));
}

function admit(route: Route, scope: Scope, key: Key | null): Key {
  if (!key) throw new ApiError('unauthenticated', 'the API key is not known or was revoked');
  if (!key.scopes.includes(scope))
    throw new ApiError(missingScopeCode(route), `this route needs the scope ${scope}, which the key lacks`);
  return key;
}

import type { Authenticator } from '#infra/control/authenticator';
import type { Key } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import { missingScopeCode, type Route } from '../route.ts';

const BEARER = /^Bearer ([\x21-\x7e]+)$/i;

/**
 * The key of a request, or null on a public route. Throws 401 `unauthenticated` and 403 with the code of the route's
 * family. A key that this node knows is checked without waiting, hence not always a promise.
 */
export function authenticate(
  authenticator: Authenticator,
  route: Route,
  authorization: string | undefined,
): Key | null | Promise<Key> {
  if (route.scope === null) return null;
  const token = authorization === undefined ? null : BEARER.exec(authorization)?.[1];
  if (!token)
    throw new ApiError('unauthenticated', 'missing or malformed Authorization header; send "Bearer <API key>"');
  const known = authenticator.authenticateKnown(token);
  if (known !== undefined) return admit(route, known?.key ?? null);
  return authenticator.authenticate(token).then((found) => admit(route, found?.key ?? null));
}

function admit(route: Route, key: Key | null): Key {
  if (!key) throw new ApiError('unauthenticated', 'the API key is not known or was revoked');
  if (!key.scopes.includes(route.scope!))
    throw new ApiError(missingScopeCode(route), `this route needs the scope ${route.scope}, which the key lacks`);
  return key;
}

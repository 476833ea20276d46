import { type ActiveSession, activeSession } from '#schemas/domain/control/lookups';
import { ApiError, unavailable } from '#schemas/errors';
import type { ControlReplica } from './control-replica.ts';
import { digestOf, readCookie } from './session-cookie.ts';

/** A portal session that may be used now, with its key and the value of the cookie. */
export interface FoundSession extends ActiveSession {
  readonly cookie: string;
}

/**
 * Finds the portal session of a `Cookie` header; null if the header has no session cookie. Throws 401 if the session has
 * ended, and 503 while this node may not know that it has.
 */
export function findSession(
  control: Pick<ControlReplica, 'state' | 'isCurrent'>,
  cookieHeader: string | undefined,
): FoundSession | null {
  const cookie = readCookie(cookieHeader);
  if (cookie === null) return null;
  // A stale state may still hold a session that has ended.
  if (!control.isCurrent) throw unavailable('sessions cannot be checked at the moment; try again');
  const found = activeSession(control.state, digestOf(cookie), Date.now());
  if (!found) throw new ApiError('unauthenticated', 'the session has expired; sign in again');
  return { cookie, ...found };
}

import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { dropSession, putSession } from '../indices.ts';
import type { ControlState, Session } from '../state.ts';

/** Lifetime of a session (contract, Organizations: Portal session). */
const SESSION_MS = 12 * 60 * 60 * 1_000;
/** Sessions that one key may have open; one more ends the oldest. */
export const SESSIONS_PER_KEY_MAX = 100;

const body = z.object({
  /** Digest of the cookie's value, which only the client knows. */
  digest: z.string().regex(/^[\w-]{32,128}$/),
});

/** Opens a portal session for the actor's key. */
export const openSession: KeyCommand<z.infer<typeof body>, { readonly expiresAt: number }> = {
  type: 'session.open',
  action: 'session.create',
  by: 'key',
  body,
  decide(state, { digest }, { wallTime, at, actor }) {
    if (state.sessions.has(digest)) return refused('conflict', 'digest: is already in use');
    const { keyId, orgId } = actor;
    dropExcessSessions(state, keyId, wallTime);
    const session: Session = { digest, keyId, createdAt: at, expiresAt: wallTime + SESSION_MS };
    putSession(state, session);
    return accepted({ expiresAt: session.expiresAt }, { orgId, targetId: keyId });
  },
};

/** Drops the key's expired sessions, and the oldest ones above the limit. */
function dropExcessSessions(state: ControlState, keyId: string, wallTime: number): void {
  const own = [...(state.sessionsByKey.get(keyId) ?? [])];
  const live = own.filter((session) => session.expiresAt > wallTime);
  for (const session of own) if (session.expiresAt <= wallTime) dropSession(state, session);
  for (const session of live.slice(0, Math.max(0, live.length - SESSIONS_PER_KEY_MAX + 1))) dropSession(state, session);
}

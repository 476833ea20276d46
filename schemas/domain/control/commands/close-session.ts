import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { dropSession } from '../indices.ts';

const body = z.object({ digest: z.string() });

/** Closes a portal session of the actor's key. */
export const closeSession: KeyCommand<z.infer<typeof body>, null> = {
  type: 'session.close',
  action: 'session.delete',
  by: 'key',
  body,
  decide(state, { digest }, { actor }) {
    const session = state.sessions.get(digest);
    if (session?.keyId !== actor.keyId) return refused('not_found', 'no such session');
    dropSession(state, session);
    return accepted(null, { orgId: actor.orgId, targetId: session.keyId });
  },
};

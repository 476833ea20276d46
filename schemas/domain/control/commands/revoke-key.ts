import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { dropKey, isAdminKey } from '../indices.ts';
import { keyOf } from '../lookups.ts';

const body = z.object({ keyId: z.string() });

/** Revokes a key permanently, and the portal sessions that were opened with it. */
export const revokeKey: KeyCommand<z.infer<typeof body>, null> = {
  type: 'key.revoke',
  action: 'key.revoke',
  by: 'admin',
  body,
  decide(state, { keyId }, { actor }) {
    const key = keyOf(state, actor, keyId);
    if (!key) return refused('not_found', 'no such key');
    if (isAdminKey(key) && state.adminKeys.get(key.orgId) === 1)
      return refused('conflict', 'the last admin key of an organization cannot be revoked');
    dropKey(state, key);
    return accepted(null, { orgId: key.orgId, targetId: keyId, revokedKeyIds: [keyId] });
  },
};

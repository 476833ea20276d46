import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { idSchema, nameSchema, scopesSchema, secretHashSchema } from '../fields.ts';
import { putKey } from '../indices.ts';
import { type KeyRow, keyRow } from '../rows.ts';
import type { ControlState } from '../state.ts';

/** Keys of one organization without revoked ones; live and sandbox keys are counted separately. */
export const KEYS_MAX = 1_000;

const body = z.object({
  keyId: idSchema,
  name: nameSchema,
  userId: nameSchema,
  scopes: scopesSchema,
  sandbox: z.boolean(),
  secret: secretHashSchema,
});

/** Creates a key in the actor's organization. */
export const createKey: KeyCommand<z.infer<typeof body>, KeyRow> = {
  type: 'key.create',
  action: 'key.create',
  by: 'admin',
  body,
  decide(state, { keyId, name, userId, scopes, sandbox, secret }, { at, actor }) {
    if (actor.sandbox && !sandbox)
      return refused('forbidden_scope', 'sandbox: a sandbox key can only create sandbox keys');
    // A revoked admin token of a setting must not be restored with another secret either.
    if (state.keys.has(keyId) || state.seededKeyIds.has(keyId)) return refused('conflict', 'keyId: is already in use');
    const { orgId } = actor;
    if (isAtKeyLimit(state, orgId, sandbox))
      return refused('conflict', `an organization has at most ${KEYS_MAX} ${sandbox ? 'sandbox' : 'live'} keys`);
    const key = { id: keyId, orgId, name, userId, scopes: [...new Set(scopes)], sandbox, secret, createdAt: at };
    putKey(state, key);
    return accepted(keyRow(key), { orgId, targetId: keyId });
  },
};

function isAtKeyLimit(state: ControlState, orgId: string, sandbox: boolean): boolean {
  const own = state.keysByOrganization.get(orgId);
  // Counts them only if live and sandbox keys together reach the limit.
  if (!own || own.size < KEYS_MAX) return false;
  let count = 0;
  for (const key of own) if (key.sandbox === sandbox) count += 1;
  return count >= KEYS_MAX;
}

import { z } from 'zod';
import type { ServiceCommand } from '../command.ts';
import { accepted } from '../decision.ts';
import { secretHashSchema } from '../fields.ts';
import { putKey, putOrganization } from '../indices.ts';
import { type Key, PLANS, SCOPES, type SecretHash } from '../state.ts';

const body = z.object({
  keyId: z.string(),
  secret: secretHashSchema,
  /** Used only by the seed that creates the first organization. */
  organization: z.object({ id: z.string(), name: z.string(), plan: z.enum(PLANS) }),
  /** True if the service generated the key instead of reading it from a setting: ignored if an organization exists. */
  minted: z.boolean(),
});
type Body = z.infer<typeof body>;

/** The result of a seed. */
export interface SeedResult {
  /** `revoked`: the key was seeded before and revoked since; it stays revoked. */
  readonly outcome: 'first' | 'added' | 'known' | 'revoked' | 'dropped';
  readonly key: Key | null;
}

/** The first key of an organization. */
export function firstAdminKey(id: string, orgId: string, secret: SecretHash, createdAt: string): Key {
  return { id, orgId, name: 'admin', userId: 'admin', scopes: SCOPES, sandbox: false, secret, createdAt };
}

/**
 * Seeds the first organization with an admin key. The first seed in log order wins; a later one with another
 * token of a setting adds an admin key to the first organization (the contract, Organizations).
 */
export const seedAdminKey: ServiceCommand<Body, SeedResult> = {
  type: 'key.seed',
  action: 'key.create',
  by: 'service',
  body,
  decide(state, { keyId, secret, organization, minted }, { at }) {
    const known = state.keys.get(keyId);
    if (known) return accepted({ outcome: 'known', key: known }, null);
    // A revoked key stays revoked, even if a node still starts with the setting.
    if (state.seededKeyIds.has(keyId)) return accepted({ outcome: 'revoked', key: null }, null);
    const first = state.firstOrganizationId === null;
    if (!first && minted) return accepted({ outcome: 'dropped', key: null }, null);
    if (first) {
      putOrganization(state, { ...organization, createdAt: at });
      state.firstOrganizationId = organization.id;
    }
    const orgId = state.firstOrganizationId ?? organization.id;
    const key = firstAdminKey(keyId, orgId, secret, at);
    putKey(state, key);
    state.seededKeyIds.add(keyId);
    return accepted({ outcome: first ? 'first' : 'added', key }, { orgId, targetId: keyId });
  },
};

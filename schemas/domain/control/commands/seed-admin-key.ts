import { z } from 'zod';
import { accepted, type CommandType } from '../command.ts';
import { type Key, PLANS, SCOPES, type SecretHash } from '../state.ts';

const secretHash: z.ZodType<SecretHash> = z.object({
  algorithm: z.literal('scrypt'),
  N: z.number().int(),
  r: z.number().int(),
  p: z.number().int(),
  salt: z.string(),
  hash: z.string(),
});
const body = z.object({
  keyId: z.string(),
  secret: secretHash,
  /** Used only by the seed that makes the first organization. */
  organization: z.object({ id: z.string(), name: z.string(), plan: z.enum(PLANS) }),
  /** Made by the service itself, not given by a setting: dropped when an organization is there already. */
  minted: z.boolean(),
});
type Body = z.infer<typeof body>;

/** What a seed did. */
export interface Seeded {
  readonly outcome: 'first' | 'added' | 'known' | 'dropped';
  readonly key: Key | null;
}

/**
 * Seeds the first organization with an admin key. The first seed in log order wins; a later one with another token
 * given by setting becomes one more admin key of the first organization (the contract, Organizations).
 */
export const seedAdminKey: CommandType<Body, Seeded> = {
  type: 'key.seed',
  body,
  decide(state, { keyId, secret, organization, minted }, { wallTime }) {
    const known = state.keys.get(keyId);
    if (known) return accepted({ outcome: 'known', key: known });
    const first = state.firstOrganizationId === null;
    if (!first && minted) return accepted({ outcome: 'dropped', key: null });
    const createdAt = new Date(wallTime).toISOString();
    if (first) {
      state.organizations.set(organization.id, { ...organization, createdAt });
      state.firstOrganizationId = organization.id;
    }
    const orgId = state.firstOrganizationId ?? organization.id;
    const key: Key = {
      id: keyId,
      orgId,
      name: 'admin',
      userId: 'admin',
      scopes: SCOPES,
      sandbox: false,
      secret,
      createdAt,
    };
    state.keys.set(keyId, key);
    return accepted({ outcome: first ? 'first' : 'added', key });
  },
};

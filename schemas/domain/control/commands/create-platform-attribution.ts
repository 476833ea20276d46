import { z } from 'zod';
import { providerFamily } from '../../../venues/accounts.ts';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { accountProviderSchema, builderError, labelSchema } from '../fields.ts';
import { pairName, putAttribution } from '../indices.ts';
import { ownerName } from '../owner.ts';
import { attributionRow, type PlatformAttribution } from '../rows.ts';

/** Attributions of one organization; its live set and its sandbox are counted separately. */
export const ATTRIBUTIONS_MAX = 10_000;

const body = z.object({
  /** The specification requires a uuid. */
  attributionId: z.uuid(),
  provider: accountProviderSchema,
  /** Hex digits of any case. */
  builder: z.string().max(66),
  label: labelSchema,
});

export interface CreatedPlatformAttribution {
  readonly attribution: PlatformAttribution;
  /** True if the same provider and builder were registered before: `attribution` is that row, and nothing was created. */
  readonly existing: boolean;
}

/** Registers a builder of the organization's platform (specification, Platform attribution rules). */
export const createPlatformAttribution: KeyCommand<z.infer<typeof body>, CreatedPlatformAttribution> = {
  type: 'platform_attribution.create',
  action: 'me.platform_attribution.create',
  by: 'admin',
  body,
  decide(state, { attributionId, provider: requested, builder: anyCase, label }, { at, actor }) {
    const { orgId, sandbox, userId } = actor;
    const provider = providerFamily(requested);
    // The digits may be of any case, the prefix must be lower-case (specification, Platform attribution rules).
    const builder = anyCase.startsWith('0x') ? anyCase.toLowerCase() : anyCase;
    const error = builderError(provider, builder);
    if (error) return refused('validation_failed', error);
    const own = state.attributionsByOwner.get(ownerName(actor));
    const existing = own?.get(pairName(provider, builder));
    if (existing) return accepted({ attribution: attributionRow(existing), existing: true }, null);
    if ((own?.size ?? 0) >= ATTRIBUTIONS_MAX)
      return refused('conflict', `an organization has at most ${ATTRIBUTIONS_MAX} platform attributions`);
    if (state.attributions.has(attributionId)) return refused('conflict', 'attributionId: is already in use');
    const attribution = {
      id: attributionId,
      orgId,
      sandbox,
      provider,
      builder,
      label,
      createdByUserId: userId,
      createdAt: at,
    };
    putAttribution(state, attribution);
    const result = { attribution: attributionRow(attribution), existing: false };
    return accepted(result, { orgId, targetId: attributionId });
  },
};

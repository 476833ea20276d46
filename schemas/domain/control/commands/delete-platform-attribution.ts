import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { dropAttribution } from '../indices.ts';
import { attributionOf } from '../lookups.ts';

const body = z.object({ attributionId: z.string() });

/** Deletes an attribution. */
export const deletePlatformAttribution: KeyCommand<z.infer<typeof body>, null> = {
  type: 'platform_attribution.delete',
  action: 'me.platform_attribution.delete',
  by: 'admin',
  body,
  decide(state, { attributionId }, { actor }) {
    const attribution = attributionOf(state, actor, attributionId);
    if (!attribution) return refused('not_found', 'no such platform attribution');
    dropAttribution(state, attribution);
    return accepted(null, { orgId: actor.orgId, targetId: attributionId });
  },
};

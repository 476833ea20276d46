import { z } from 'zod';
import { PLANS } from '#schemas/domain/control/state';
import { isoTimeSchema } from '#schemas/http/scalars';

/** Response schema of an organization. */
export const organizationSchema = z.object({
  id: z.string(),
  name: z.string(),
  plan: z.enum(PLANS),
  suspended: z.boolean(),
  createdAt: isoTimeSchema,
});

import { z } from 'zod';
import { isoTimeSchema } from '#schemas/http/scalars';
import { PROVIDER_FAMILIES } from '#schemas/venues/accounts';

/** Response schema of a platform attribution (specification, Platform attribution). */
export const attributionSchema = z.object({
  id: z.uuid(),
  orgId: z.string(),
  provider: z.enum(PROVIDER_FAMILIES),
  builder: z.string(),
  label: z.string(),
  createdByUserId: z.string().nullable(),
  createdAt: isoTimeSchema,
});

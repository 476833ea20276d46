import { z } from 'zod';
import { isoTimeSchema } from '#schemas/http/scalars';

/** Response schema of a platform attribution (specification, Platform attribution). */
export const attributionSchema = z.object({
  id: z.uuid(),
  orgId: z.string(),
  provider: z.enum(['venue_a', 'venue_b']),
  builder: z.string(),
  label: z.string(),
  createdByUserId: z.string().nullable(),
  createdAt: isoTimeSchema,
});

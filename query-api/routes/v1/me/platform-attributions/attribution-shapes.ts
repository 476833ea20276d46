import { z } from 'zod';
import { createdAtField } from '#schemas/http/fields';
import { PROVIDER_FAMILIES } from '#schemas/venues/accounts';

/** Response schema of a platform attribution (specification, Platform attribution). */
export const attributionSchema = z
  .object({
    id: z.uuid().describe('The id of the attribution.'),
    orgId: z.string().describe('The organization.'),
    provider: z.enum(PROVIDER_FAMILIES).describe('The venue.'),
    builder: z.string().describe('The builder in lower case.'),
    label: z.string().describe('A label.'),
    createdByUserId: z.string().nullable().describe('The user of the key that registered it; null if unknown.'),
    createdAt: createdAtField,
  })
  .meta({ id: 'PlatformAttribution' });

import { z } from 'zod';
import { PLANS } from '#schemas/domain/control/state';
import { createdAtField } from '#schemas/http/fields';

/** Response schema of an organization. */
export const organizationSchema = z
  .object({
    id: z.string().describe('The id of the organization.'),
    name: z.string().describe('Its name.'),
    plan: z.enum(PLANS).describe('Its plan, which determines its quotas.'),
    suspended: z.boolean().describe('True while its keys are refused.'),
    createdAt: createdAtField,
  })
  .meta({ id: 'Organization' });

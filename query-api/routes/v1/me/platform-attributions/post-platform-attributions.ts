import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createPlatformAttribution } from '#schemas/domain/control/commands/create-platform-attribution';
import { accountProviderSchema, labelSchema } from '#schemas/domain/control/fields';
import { BUILDER_DIGITS } from '#schemas/venues/accounts';
import { CustomResponse, defineCallerRoute } from '../../../route.ts';
import { attributionSchema } from './attribution-shapes.ts';

/** Such as `40 (venue_a) or 64 (venue_b)`. */
const DIGITS = Object.entries(BUILDER_DIGITS)
  .map(([family, digits]) => `${digits} (${family})`)
  .join(' or ');

export const postPlatformAttributions = defineCallerRoute({
  method: 'POST',
  path: '/v1/me/platform-attributions',
  scope: 'admin',
  sku: 'api.request',
  status: 201,
  otherStatuses: [200],
  creates: true,
  summary: "Registers a builder of the caller's platform; 200 with the existing row if it is already registered.",
  params: z.object({}),
  query: z.object({}),
  body: z.strictObject({
    provider: accountProviderSchema.describe('A venue, or one of its providers.'),
    builder: z.string().max(66).describe(`0x and ${DIGITS} hex characters, not all zeros.`),
    label: labelSchema.describe('A label.'),
  }),
  response: attributionSchema,
  async handle({ body, command }) {
    const { result } = await command(createPlatformAttribution, { ...body, attributionId: randomUUID() });
    return new CustomResponse(result.existing ? 200 : 201, result.attribution);
  },
});

import { z } from 'zod';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { batchSchema, batchValues } from '../../../accounts/batch-values.ts';
import { usersSchema } from '../../../accounts/users-body.ts';
import { defineCallerRoute } from '../../route.ts';

export const postAccountsBatch = defineCallerRoute({
  method: 'POST',
  path: '/v1/accounts/batch',
  scope: 'read',
  sku: 'portfolio.read',
  servesMarketData: true,
  summary:
    'What accounts of venue_a are worth, bound or not, at most 15 s old; an account that is not ready has a note.',
  params: z.object({}),
  query: z.object({}),
  body: z.strictObject({ users: usersSchema.describe('Addresses on venue_a.') }),
  response: z.object({
    ...batchSchema.shape,
    fetchedAt: isoTimeSchema.describe('When the response was composed.'),
  }),
  handle: async ({ body: { users }, caller, signal }, dependencies) => ({
    ...(await batchValues(users, caller, signal, dependencies)),
    fetchedAt: isoTime(Date.now()),
  }),
});

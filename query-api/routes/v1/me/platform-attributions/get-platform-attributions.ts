import { z } from 'zod';
import { attributionRows } from '#schemas/domain/control/rows';
import { defineCallerRoute } from '../../../route.ts';
import { attributionSchema } from './attribution-shapes.ts';

export const getPlatformAttributions = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/platform-attributions',
  scope: 'read',
  sku: 'api.request',
  summary: "Lists the registered builders of the caller's platform.",
  params: z.object({}),
  query: z.object({}),
  response: z.object({ attributions: z.array(attributionSchema).describe('All of them.') }),
  handle: ({ caller }, { control }) => ({ attributions: attributionRows(control.state, caller) }),
});

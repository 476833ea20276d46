import { z } from 'zod';
import { ApiError } from '#schemas/errors';
import { backfillState } from '#schemas/requests/history-backfill';
import { apiErrorOf } from '../../../../upstream/api-error-of.ts';
import { ID_LENGTH_MAX } from '../../../id-path.ts';
import { defineCallerRoute } from '../../../route.ts';
import { backfillBody, backfillSchema } from './backfill-shapes.ts';

export const getBackfill = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/backfills/:requestId',
  scope: 'read',
  sku: 'api.request',
  upstreamStatuses: [429, 502],
  summary: 'How far a backfill of the last 24 hours came.',
  params: z.object({ requestId: z.string().describe('Id of the backfill.') }),
  query: z.object({}),
  response: backfillSchema,
  handle: async ({ params: { requestId }, caller }, { ingest }) => {
    const missing = () => new ApiError('not_found', 'no such backfill');
    if (caller.sandbox || requestId.length > ID_LENGTH_MAX) throw missing();
    const { result } = await ingest
      .send(backfillState, { id: requestId, orgId: caller.orgId })
      .catch((error: unknown) => {
        throw apiErrorOf('venue_b', error);
      });
    if (!result) throw missing();
    return backfillBody(result);
  },
});

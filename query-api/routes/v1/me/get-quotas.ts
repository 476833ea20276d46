import { z } from 'zod';
import { PLANS } from '#schemas/domain/control/state';
import { SKUS } from '#schemas/domain/quota/sku';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { defineCallerRoute } from '../../route.ts';

export const getQuotas = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/quotas',
  scope: 'read',
  sku: 'api.request',
  summary: "What is left of the quotas of the caller's organization in the current UTC minute and day.",
  params: z.object({}),
  query: z.object({}),
  response: z.object({
    plan: z.enum(PLANS).describe('The plan of the organization.'),
    quotas: z
      .array(
        z.object({
          sku: z.enum(SKUS).describe('What is counted.'),
          window: z.enum(['minute', 'day']).describe('The UTC minute or the UTC day.'),
          limit: z.number().int().describe('Units that the plan allows in the window.'),
          used: z.number().int().describe('Units that all nodes served in it, and requests in progress.'),
          remaining: z.number().int().describe('What is left, never below 0.'),
          resetAt: isoTimeSchema.describe('When the window ends.'),
        }),
      )
      .describe('By SKU, the minute before the day; without unlimited windows.'),
  }),
  handle({ caller: { orgId, plan } }, { usage, quotas }) {
    const now = Date.now();
    const rows = SKUS.flatMap((sku) => {
      const windows = usage.windows(orgId, sku, quotas[plan][sku], now);
      // The window with the least left comes first.
      const inOrder = [...windows].sort((a, b) => (a.name === b.name ? 0 : a.name === 'minute' ? -1 : 1));
      return inOrder.map(({ name, limit, used, remaining, endsAt }) => ({
        sku,
        window: name,
        limit,
        used,
        remaining,
        resetAt: isoTime(endsAt),
      }));
    });
    return { plan, quotas: rows };
  },
});

import { z } from 'zod';
import { webhookRows } from '#schemas/domain/control/rows';
import { defineCallerRoute } from '../../route.ts';
import { webhookSchema } from './webhook-shapes.ts';

export const getWebhooks = defineCallerRoute({
  method: 'GET',
  path: '/v1/webhooks',
  scope: 'read',
  sku: null,
  summary: 'Lists the webhooks, without secrets.',
  params: z.object({}),
  query: z.object({}),
  response: z.object({ webhooks: z.array(webhookSchema).describe('All of them.') }),
  handle: ({ caller }, { control }) => ({ webhooks: webhookRows(control.state, caller) }),
});

import { z } from 'zod';
import { webhookRow } from '#schemas/domain/control/rows';
import { idPath } from '../../id-path.ts';
import { defineCallerRoute } from '../../route.ts';
import { findWebhook, webhookSchema } from './webhook-shapes.ts';

export const getWebhook = defineCallerRoute({
  method: 'GET',
  path: '/v1/webhooks/:id',
  scope: 'read',
  sku: null,
  summary: 'A webhook, without its secret.',
  params: idPath,
  query: z.object({}),
  response: webhookSchema,
  handle: ({ params, caller }, { control }) => webhookRow(findWebhook(control.state, caller, params.id)),
});

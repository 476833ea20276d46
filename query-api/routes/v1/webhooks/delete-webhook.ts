import { z } from 'zod';
import { deleteWebhook as deleteWebhookCommand } from '#schemas/domain/control/commands/delete-webhook';
import { idPath } from '../../id-path.ts';
import { defineCallerRoute } from '../../route.ts';

export const deleteWebhook = defineCallerRoute({
  method: 'DELETE',
  path: '/v1/webhooks/:id',
  scope: 'admin',
  sku: null,
  status: 204,
  summary: 'Deletes a webhook; its pending deliveries are not sent.',
  params: idPath,
  query: z.object({}),
  response: z.null(),
  handle: async ({ params, command }) => (await command(deleteWebhookCommand, { webhookId: params.id })).result,
});

import { z } from 'zod';
import { createdAtField } from '#schemas/http/fields';
import { paginationSchema } from '#schemas/http/pagination';
import { clampedInteger, cursorParameter } from '#schemas/http/parameters';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { attemptTopic, deliveryTopic } from '#schemas/topics/webhooks';
import { oldestRetainedAt } from '../../../../queries/delivery-retention.ts';
import { DELIVERY_STATUSES, type DeliveryEntry, readDeliveries } from '../../../../queries/read-deliveries.ts';
import { idPath } from '../../../id-path.ts';
import { defineCallerRoute } from '../../../route.ts';
import { findWebhook } from '../webhook-shapes.ts';

const deliverySchema = z
  .object({
    id: z.string().describe('`dlv_<id>`.'),
    eventId: z.string().describe('`id` of the CloudEvent, the same for every attempt and redelivery.'),
    eventType: z.string().describe('The type of the event.'),
    status: z.enum(DELIVERY_STATUSES).describe('`pending` as long as another attempt will be made.'),
    createdAt: createdAtField,
    nextAttemptAt: isoTimeSchema.nullable().describe('Null if no attempt will follow.'),
    attempts: z
      .array(
        z.object({
          at: isoTimeSchema.describe('When it began.'),
          status: z.int().nullable().describe('HTTP status; null without a response.'),
          durationMs: z.int().describe('How long it took, ms.'),
          error: z
            .string()
            .nullable()
            .describe('Why there was no response, or why no further attempt is made; null after a response.'),
        }),
      )
      .describe('Oldest first.'),
  })
  .meta({ id: 'Delivery' });

export const getDeliveries = defineCallerRoute({
  method: 'GET',
  path: '/v1/webhooks/:id/deliveries',
  scope: 'read',
  sku: null,
  summary: 'Deliveries of a webhook in the last 30 days with their attempts, newest first.',
  params: idPath,
  query: z.object({
    limit: clampedInteger({ min: 1, max: 200, fallback: 50 }),
    cursor: cursorParameter.optional(),
  }),
  response: z.object({
    deliveries: z.array(deliverySchema).describe('Newest first.'),
    pagination: paginationSchema,
  }),
  async handle({ params, query, caller, signal }, { control, store, tables, views }) {
    const { orgId, id: webhookId } = findWebhook(control.state, caller, params.id);
    await tables.awaitRows({ topics: [deliveryTopic, attemptTopic], key: webhookId }, signal);
    const filter = { orgId, webhookId, since: oldestRetainedAt(views.events) };
    const { deliveries, nextCursor } = await readDeliveries(store, filter, query.limit, query.cursor ?? null);
    return { deliveries: deliveries.map(toRow), pagination: { nextCursor, hasMore: nextCursor !== null } };
  },
});

function toRow({ createdAt, nextAttemptAt, attempts, ...delivery }: DeliveryEntry): z.infer<typeof deliverySchema> {
  return {
    ...delivery,
    createdAt: isoTime(createdAt),
    nextAttemptAt: nextAttemptAt === null ? null : isoTime(nextAttemptAt),
    attempts: attempts.map((attempt) => ({ ...attempt, at: isoTime(attempt.at) })),
  };
}

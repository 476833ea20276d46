import { DELIVERY_RETENTION_DAYS, type Delivery, deliveryTopic } from '../topics/webhooks.ts';
import { countColumn, timeColumn } from './columns.ts';
import { defineTable } from './table.ts';

/** One row per event for one webhook. */
export const deliveriesTable = defineTable<Delivery>({
  name: 'deliveries',
  description: `Events for webhooks, with the bytes that are sent; stored for ${DELIVERY_RETENTION_DAYS} days.`,
  orderBy: ['orgId', 'webhookId', 'createdAt', 'id'],
  fromTopics: [deliveryTopic],
  retentionDays: DELIVERY_RETENTION_DAYS,
  row: ({ orgId, webhookId, createdAt, id, receivedAt, eventId, eventType, test, body }, meta) => ({
    orgId,
    webhookId,
    createdAt: timeColumn(createdAt),
    id,
    receivedAt: timeColumn(receivedAt),
    eventId,
    eventType,
    test,
    body,
    version: countColumn(meta.seq),
  }),
});

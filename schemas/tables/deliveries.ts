import { DELIVERY_RETENTION_DAYS, type Delivery, deliveryTopic } from '../topics/webhooks.ts';
import { defineTable } from './table.ts';

/** One row per event for one webhook. */
export const deliveriesTable = defineTable<Delivery>({
  name: 'deliveries',
  description: `Events for webhooks, with the bytes that are sent; stored for ${DELIVERY_RETENTION_DAYS} days.`,
  holds: 'organization',
  orderBy: ['orgId', 'webhookId', 'createdAt', 'id'],
  shardBy: ['orgId'],
  fromTopics: [deliveryTopic],
  lowCardinality: ['eventType'],
  retentionDays: DELIVERY_RETENTION_DAYS,
});

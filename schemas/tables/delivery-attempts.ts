import { attemptTopic, DELIVERY_RETENTION_DAYS, type DeliveryAttempt } from '../topics/webhooks.ts';
import { timeColumn } from './column-values.ts';
import { defineTable } from './table.ts';

/** One row per attempt to deliver. */
export const deliveryAttemptsTable = defineTable<DeliveryAttempt>({
  name: 'delivery_attempts',
  description: `Attempts to deliver webhooks; stored for ${DELIVERY_RETENTION_DAYS} days.`,
  holds: 'organization',
  orderBy: ['orgId', 'webhookId', 'deliveryId', 'attempt'],
  shardBy: ['orgId'],
  fromTopics: [attemptTopic],
  omit: ['receivedAt'],
  added: {
    at: {
      type: "DateTime64(3, 'UTC')",
      comment: 'Wall time at which it began.',
      value: ({ receivedAt }) => timeColumn(receivedAt),
    },
  },
  retentionDays: DELIVERY_RETENTION_DAYS,
});

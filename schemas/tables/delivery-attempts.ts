import { attemptTopic, DELIVERY_RETENTION_DAYS, type DeliveryAttempt } from '../topics/webhooks.ts';
import { countColumn, nullableCountColumn, nullableTimeColumn, timeColumn } from './columns.ts';
import { defineTable } from './table.ts';

/** One row per attempt to deliver. */
export const deliveryAttemptsTable = defineTable<DeliveryAttempt>({
  name: 'delivery_attempts',
  description: `Attempts to deliver webhooks; stored for ${DELIVERY_RETENTION_DAYS} days.`,
  orderBy: ['orgId', 'webhookId', 'deliveryId', 'attempt'],
  fromTopics: [attemptTopic],
  retentionDays: DELIVERY_RETENTION_DAYS,
  row: (attempt, meta) => ({
    orgId: attempt.orgId,
    webhookId: attempt.webhookId,
    deliveryId: attempt.deliveryId,
    attempt: countColumn(attempt.attempt),
    at: timeColumn(attempt.receivedAt),
    durationMs: countColumn(attempt.durationMs),
    status: nullableCountColumn(attempt.status),
    error: attempt.error,
    outcome: attempt.outcome,
    nextAttemptAt: nullableTimeColumn(attempt.nextAttemptAt),
    version: countColumn(meta.seq),
  }),
});

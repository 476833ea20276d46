/** Deliveries of webhooks, the attempts to send them, and the progress of the sender. */
import { flag, type Infer, integer, nullable, oneOf, record, text, timestamp, withDefault } from '../avro.ts';
import { defineTopic } from './topic.ts';

/** Deliveries are stored for 30 days (contract, Webhooks). */
export const DELIVERY_RETENTION_DAYS = 30;
const RETENTION_HOURS = DELIVERY_RETENTION_DAYS * 24;

/** How long deliveries and attempts are stored after they were appended, ms. */
export const DELIVERY_RETENTION_MS = RETENTION_HOURS * 3_600_000;

const delivery = record('Delivery', 'One event for one webhook, with the bytes that every attempt sends.', {
  id: text('`dlv_` and a hash of webhook and event, or of the command that requested it.'),
  webhookId: text('The webhook.'),
  orgId: text('Its organization.'),
  eventId: text('`id` of the CloudEvent: the same for every webhook and every attempt.'),
  eventType: text('`type` of the CloudEvent.'),
  receivedAt: timestamp('Event time.'),
  createdAt: timestamp('When it was first due: the wall time of the command that requested it, else `receivedAt`.'),
  test: flag('True for a sample that a client requested.'),
  body: text('The CloudEvent as it is sent.'),
});
export type Delivery = Infer<typeof delivery>;

/** `derived.deliveries`. */
export const deliveryTopic = defineTopic({
  name: 'derived.deliveries',
  description: 'Events for webhooks, with the bytes that are sent.',
  key: 'webhook id',
  partitions: 4,
  retention: { kind: 'hours', hours: RETENTION_HOURS },
  schema: delivery,
});

const attempt = record('DeliveryAttempt', 'One attempt to deliver, and its result.', {
  deliveryId: text('The delivery.'),
  webhookId: text('The webhook.'),
  orgId: text('Its organization.'),
  attempt: integer('Counts from 1.'),
  receivedAt: timestamp('Wall time at which it began.'),
  durationMs: integer('How long it took.'),
  status: nullable(integer('HTTP status; null without a response.')),
  error: nullable(text('Why there was no response, a short stable code.')),
  outcome: oneOf(['pending', 'delivered', 'failed'], 'State of the delivery afterwards.'),
  nextAttemptAt: nullable(timestamp('When the next attempt is due; null when there is none.')),
  signature: withDefault(
    nullable(text('Signatures that it was sent with; null if it was not sent, and in older records.')),
    null,
  ),
});
export type DeliveryAttempt = Infer<typeof attempt>;

/**
 * Attempts are effects outside the service, so they are stored like raw records and never derived again. The topic is
 * partitioned like `derived.deliveries`.
 */
export const attemptTopic = defineTopic({
  name: 'control.attempts',
  description: 'Attempts to deliver webhooks.',
  key: 'webhook id',
  partitions: deliveryTopic.partitions,
  retention: { kind: 'hours', hours: RETENTION_HOURS },
  schema: attempt,
});

const progress = record('DeliveryProgress', 'The offset up to which every delivery of a partition is settled.', {
  offset: integer(
    'Offset of the first delivery that is not settled, or of the last one that was read. All earlier ones are settled.',
  ),
  appendedAt: timestamp(
    'When that delivery was appended; another time at this offset means that the topic was rewritten.',
  ),
});
export type DeliveryProgress = Infer<typeof progress>;

/** From where the sender of webhooks resumes after a restart; partitioned like `derived.deliveries`. */
export const progressTopic = defineTopic({
  name: 'control.delivery-progress',
  description: 'From where the sender of webhooks resumes after a restart.',
  key: '`progress`',
  partitions: deliveryTopic.partitions,
  retention: { kind: 'compacted' },
  schema: progress,
});

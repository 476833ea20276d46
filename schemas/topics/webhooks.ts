/** Webhooks on their way: what is to be delivered, and what became of each attempt. */
import { flag, type Infer, integer, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

/** The contract, Webhooks: deliveries are kept 30 days. */
export const DELIVERIES_KEPT_DAYS = 30;
const KEPT_HOURS = DELIVERIES_KEPT_DAYS * 24;

/** How long deliveries and attempts are kept after the log took them, ms. */
export const DELIVERIES_KEPT_MS = KEPT_HOURS * 3_600_000;

const delivery = record('Delivery', 'One event for one webhook, with the bytes that every attempt sends.', {
  id: text('`dlv_` and a hash of webhook and event, or of the command that asked for it.'),
  webhookId: text('The webhook.'),
  orgId: text('Its organization.'),
  eventId: text('`id` of the CloudEvent: the same for every webhook and every attempt.'),
  eventType: text('`type` of the CloudEvent.'),
  receivedAt: timestamp("The pipeline's time of the event."),
  createdAt: timestamp(
    'When it was to be sent first: the wall time of a command that asked for it, else `receivedAt`.',
  ),
  test: flag('A sample that was asked for.'),
  body: text('The CloudEvent as it is sent.'),
});
export type Delivery = Infer<typeof delivery>;

/** `derived.deliveries`. */
export const deliveryTopic = defineTopic({
  name: 'derived.deliveries',
  description: 'Events for webhooks, frozen.',
  key: 'webhook id',
  partitions: 4,
  retention: { kind: 'hours', hours: KEPT_HOURS },
  schema: delivery,
  table: 'deliveries',
});

const attempt = record('DeliveryAttempt', 'One attempt to deliver, and what follows from it.', {
  deliveryId: text('The delivery.'),
  webhookId: text('The webhook.'),
  orgId: text('Its organization.'),
  attempt: integer('Counts from 1.'),
  receivedAt: timestamp('Wall time at which it began.'),
  durationMs: integer('How long it took.'),
  status: nullable(integer('HTTP status; null without an answer.')),
  error: nullable(text('Why there was no answer, a short stable code.')),
  outcome: oneOf(['pending', 'delivered', 'failed'], 'State of the delivery afterwards.'),
  nextAttemptAt: nullable(timestamp('When the next attempt is due; null when there is none.')),
});
export type DeliveryAttempt = Infer<typeof attempt>;

/**
 * What happened outside, so it is kept like what venues said and never derived again. Partition by partition as
 * `derived.deliveries`.
 */
export const attemptTopic = defineTopic({
  name: 'control.attempts',
  description: 'Attempts to deliver webhooks.',
  key: 'webhook id',
  partitions: deliveryTopic.partitions,
  retention: { kind: 'hours', hours: KEPT_HOURS },
  schema: attempt,
  table: 'delivery_attempts',
});

const progress = record('DeliveryProgress', 'Up to where every delivery of a partition is settled.', {
  offset: integer(
    'Of the first delivery that is not settled, or of the last one that was read. All before it are settled.',
  ),
  appendedAt: timestamp('When the log took that delivery: another one there means that the topic was written anew.'),
});
export type DeliveryProgress = Infer<typeof progress>;

/** Where the sender of webhooks begins after a restart; partition by partition as `derived.deliveries`. */
export const progressTopic = defineTopic({
  name: 'control.delivery-progress',
  description: 'Where the sender of webhooks goes on after a restart.',
  key: '`progress`',
  partitions: deliveryTopic.partitions,
  retention: { kind: 'compacted' },
  schema: progress,
});

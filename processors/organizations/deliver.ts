/** Creates deliveries: an event with its final bytes, for each webhook that subscribes to it. */
import { hash } from 'node:crypto';
import type { Emit } from '#infra/stages/stage';
import type { Webhook } from '#schemas/domain/control/state';
import { deliveryTopic } from '#schemas/topics/webhooks';
import { cloudEventBody } from '#schemas/webhooks/cloud-event';
import { PRODUCED_VERSION, type ProducedType, wants } from './interests.ts';

/** 128 bits. */
const HEX_DIGITS = 32;

/** An id that is a hash of values. */
export function idOf(prefix: string, parts: readonly (string | number)[]): string {
  return `${prefix}_${hash('sha256', JSON.stringify(parts), 'hex').slice(0, HEX_DIGITS)}`;
}

/** An event of the service, before it becomes deliveries. */
export interface ProducedEvent {
  readonly type: ProducedType;
  /** Values that identify the event, also in a replay: its id is a hash of them. */
  readonly identity: readonly (string | number)[];
  readonly receivedAt: number;
  readonly subject: string;
  /** Values that filters match. */
  readonly filterValues: readonly string[];
  /** Computed only if a webhook wants it. */
  readonly data: () => unknown;
}

/** Emits a delivery for each webhook that wants the event; all of them send the same bytes. */
export function deliver(webhooks: readonly Webhook[], event: ProducedEvent, emit: Emit): void {
  const interested = webhooks.filter((webhook) => wants(webhook, event.type, event.filterValues));
  if (interested.length === 0) return;
  const { type, receivedAt, subject } = event;
  const eventId = idOf('we', [type, ...event.identity]);
  const parts = { id: eventId, type, version: PRODUCED_VERSION, time: receivedAt, subject };
  const body = cloudEventBody({ ...parts, data: event.data() });
  for (const { id: webhookId, orgId } of interested)
    emit(deliveryTopic, webhookId, {
      id: idOf('dlv', [webhookId, eventId]),
      webhookId,
      orgId,
      eventId,
      eventType: type,
      receivedAt,
      createdAt: receivedAt,
      test: false,
      body,
    });
}

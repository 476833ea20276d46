/** Deliveries: an event with its bytes, frozen, for each webhook that wants it. */
import { hash } from 'node:crypto';
import type { Emit } from '#infra/stages/stage';
import type { Webhook } from '#schemas/domain/control/state';
import { deliveryTopic } from '#schemas/topics/webhooks';
import { cloudEventBody } from '#schemas/webhooks/cloud-event';
import { PRODUCED_VERSION, type ProducedType, wants } from './interests.ts';

/** 128 bits. */
const HEX_DIGITS = 32;

function idOf(prefix: string, parts: readonly (string | number)[]): string {
  return `${prefix}_${hash('sha256', JSON.stringify(parts), 'hex').slice(0, HEX_DIGITS)}`;
}

/** An event of the service, before anybody is told. */
export interface ProducedEvent {
  readonly type: ProducedType;
  /** What makes it this event and no other, in a replay too: its id is a hash of it. */
  readonly identity: readonly (string | number)[];
  readonly receivedAt: number;
  readonly subject: string;
  /** What filters choose by. */
  readonly filterValues: readonly string[];
  /** Worked out once somebody wants it. */
  readonly data: () => unknown;
}

/** Writes a delivery for each of the webhooks that wants the event; all of them send the same bytes. */
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

/** Applies control commands in the merged order: reduces them, writes audit entries, and emits requested deliveries. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { decompressDeliveries, recoverWebhook } from '#schemas/domain/control/commands/recover-webhook';
import { redeliverWebhook, type WebhookRedelivery } from '#schemas/domain/control/commands/redeliver-webhook';
import { testWebhook, type WebhookTest } from '#schemas/domain/control/commands/test-webhook';
import type { AuditEntry } from '#schemas/domain/control/decision';
import { reduceControl } from '#schemas/domain/control/reduce';
import { auditTopic } from '#schemas/topics/audit';
import type { ControlChange } from '#schemas/topics/control';
import { deliveryTopic } from '#schemas/topics/webhooks';
import { cloudEventBody } from '#schemas/webhooks/cloud-event';
import { type EventTypeId, findEventType } from '#schemas/webhooks/event-types';
import { updateBindings } from './bound-wallets.ts';
import { idOf } from './deliver.ts';
import type { OrganizationsState } from './state.ts';

export function onChange(state: OrganizationsState, record: StageRecord<ControlChange>, emit: Emit): void {
  const { value: change, receivedAt } = record;
  const verdict = reduceControl(state.control, change);
  // A repeated command with the same `Idempotency-Key` has no second effect.
  if (!verdict.ok || verdict.replayed) return;
  for (const entry of verdict.audit) {
    const { id, orgId, action, keyId, userId, targetId } = entry;
    const sandbox = isOfSandbox(state, entry);
    emit(auditTopic, orgId, { id, orgId, receivedAt, at: change.wallTime, action, keyId, userId, targetId, sandbox });
  }
  const [entry] = verdict.audit;
  if (entry) updateBindings(state, change.type, entry, receivedAt);
  if (change.type === testWebhook.type) deliverTest(state, verdict.result as WebhookTest, record, emit);
  if (change.type === redeliverWebhook.type) redeliver(state, verdict.result as WebhookRedelivery, record, emit);
  if (change.type === recoverWebhook.type) recover(state, record, emit);
}

/** True for a change in the sandbox. A key changes its own data set; the service disables webhooks of both. */
function isOfSandbox({ control }: OrganizationsState, { keyId, sandbox, targetId }: AuditEntry): boolean {
  return keyId === null ? control.webhooks.get(targetId)?.sandbox === true : sandbox;
}

function deliverTest(
  state: OrganizationsState,
  { webhookId, deliveryId, eventId, eventType, version }: WebhookTest,
  { value: { wallTime }, receivedAt }: StageRecord<ControlChange>,
  emit: Emit,
): void {
  const type = findEventType(eventType, version);
  if (!type) {
    emit.deadLetter('unknown_event_type', `${eventType} ${version} is no known event type`);
    return;
  }
  const parts = { id: eventId, type: type.type as EventTypeId, version, time: wallTime, subject: eventId };
  const body = cloudEventBody({ ...parts, data: type.sample });
  const delivery = { webhookId, id: deliveryId, eventId, eventType, receivedAt, createdAt: wallTime };
  emit(deliveryTopic, webhookId, { ...delivery, orgId: ownerOf(state, webhookId), test: true, body });
}

function redeliver(
  state: OrganizationsState,
  { webhookId, deliveryId, eventId, eventType }: WebhookRedelivery,
  { value: change, receivedAt }: StageRecord<ControlChange>,
  emit: Emit,
): void {
  // An accepted command has a valid body; the result of the reducer does not contain it.
  const { body } = redeliverWebhook.body.parse(JSON.parse(change.body));
  const delivery = { webhookId, id: deliveryId, eventId, eventType, receivedAt, createdAt: change.wallTime };
  emit(deliveryTopic, webhookId, { ...delivery, orgId: ownerOf(state, webhookId), test: false, body });
}

/** Emits the deliveries of a recovery in their order; their ids follow from the command and the delivery. */
function recover(
  state: OrganizationsState,
  { value: change, receivedAt }: StageRecord<ControlChange>,
  emit: Emit,
): void {
  const { webhookId, deliveries } = recoverWebhook.body.parse(JSON.parse(change.body));
  const owner = { webhookId, orgId: ownerOf(state, webhookId), receivedAt, createdAt: change.wallTime, test: false };
  for (const { deliveryId, ...sent } of decompressDeliveries(deliveries))
    emit(deliveryTopic, webhookId, { ...owner, ...sent, id: idOf('dlv', [change.id, deliveryId]) });
}

function ownerOf({ control }: OrganizationsState, webhookId: string): string {
  return control.webhooks.get(webhookId)!.orgId;
}

/** Emits market-wide events to their subscribers. They contain nothing of any organization. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { webhooksSubscribedTo } from '#schemas/domain/control/lookups';
import type { Anomaly } from '#schemas/topics/anomalies';
import type { Arbitrage, Spread } from '#schemas/topics/derived';
import { audienceOf } from '../shared/merged-events.ts';
import { deliver } from './deliver.ts';
import { anomalyDetected, arbitrageDetected, spreadChanged } from './event-data.ts';
import { type ProducedType, wantsAll } from './interests.ts';
import type { OrganizationsState } from './state.ts';

/** An event that belongs to no organization. */
export interface MarketEvent {
  readonly type: ProducedType;
  readonly receivedAt: number;
  /** Id of its subject: a universal event, or a question of the oracle. */
  readonly subject: string;
  /** The universal events that it concerns. A webhook without a filter gets it in any case. */
  readonly audience: readonly string[];
  /** True if only webhooks with a matching filter get it, because the others got it before. */
  readonly audienceOnly?: boolean;
  /** Computed only if a webhook wants it. */
  readonly data: () => unknown;
}

export function onSpread(state: OrganizationsState, { value, receivedAt }: StageRecord<Spread>, emit: Emit): void {
  const { universalId: subject } = value;
  const audience = audienceOf(state.events, subject);
  const data = () => spreadChanged(value);
  emitMarketEvent(state, { type: 'event.spread.changed', receivedAt, subject, audience, data }, emit);
}

export function onArbitrage(
  state: OrganizationsState,
  { value, receivedAt }: StageRecord<Arbitrage>,
  emit: Emit,
): void {
  const { universalId: subject } = value;
  const audience = audienceOf(state.events, subject);
  const data = () => arbitrageDetected(value);
  emitMarketEvent(state, { type: 'event.arbitrage.detected', receivedAt, subject, audience, data }, emit);
}

export function onAnomaly(state: OrganizationsState, { value, receivedAt }: StageRecord<Anomaly>, emit: Emit): void {
  const audience = audienceOf(state.events, value.universalId);
  const subject = audience[0]!;
  const data = () => anomalyDetected(value, subject);
  emitMarketEvent(state, { type: 'event.anomaly.detected', receivedAt, subject, audience, data }, emit);
}

/** Delivers an event to the webhooks that want it. A filter for a merged event also matches the survivor. */
export function emitMarketEvent(state: OrganizationsState, event: MarketEvent, emit: Emit): void {
  const { type, receivedAt, subject, audience, audienceOnly = false, data } = event;
  // Counted even without subscribers, so that the id of an event does not depend on them.
  const count = countEvent(state, event);
  const subscribed = webhooksSubscribedTo(state.control, type);
  const webhooks = audienceOnly ? subscribed.filter((webhook) => !wantsAll(webhook, type)) : subscribed;
  if (webhooks.length === 0) return;
  const identity = [subject, receivedAt, count];
  deliver(webhooks, { type, identity, receivedAt, subject, filterValues: audience, data }, emit);
}

/** Returns how many events of this type and subject there were at this time, this one included. */
function countEvent(state: OrganizationsState, { type, subject, receivedAt }: MarketEvent): number {
  if (state.eventsAt.receivedAt !== receivedAt) state.eventsAt = { receivedAt, counts: new Map() };
  const { counts } = state.eventsAt;
  const key = `${type} ${subject}`;
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}

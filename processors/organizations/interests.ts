/** Finds the webhooks that want an event. Filters are parsed once for each row, since rows never change in place. */
import type { Webhook } from '#schemas/domain/control/state';
import type { EVENT_TYPES } from '#schemas/webhooks/event-types';

type DeliveringType = Extract<(typeof EVENT_TYPES)[number], { readonly delivering: true }>['type'];

/** The event types that this stage produces, which are those marked `delivering`, with the field by which each is filtered. */
export const FILTER_FIELDS = {
  'broker.trade.executed': 'brokers',
  'broker.position.liquidated': 'brokers',
  'event.spread.changed': 'universalIds',
  'event.arbitrage.detected': 'universalIds',
  'event.anomaly.detected': 'universalIds',
  'event.settlement.landed': 'universalIds',
  'event.dispute.updated': 'universalIds',
} as const satisfies Record<DeliveringType, string>;
export type ProducedType = keyof typeof FILTER_FIELDS;
/** Version of all produced event types so far. */
export const PRODUCED_VERSION = 1;

/** The events of a type that a webhook wants: all, or those with one of these filter values. */
type Interest = 'all' | ReadonlySet<unknown>;

/** A cache outside the state: entries are derived from the rows and are garbage-collected with them. */
const interests = new WeakMap<Webhook, Map<ProducedType, Interest>>();

/** True if one of the webhook's subscriptions to the type accepts one of these values. */
export function wants(webhook: Webhook, type: ProducedType, values: readonly string[]): boolean {
  const interest = interestIn(webhook, type);
  return interest === 'all' || values.some((value) => interest.has(value));
}

/** True if the webhook wants every event of the type. */
export function wantsAll(webhook: Webhook, type: ProducedType): boolean {
  return interestIn(webhook, type) === 'all';
}

function interestIn(webhook: Webhook, type: ProducedType): Interest {
  let ofWebhook = interests.get(webhook);
  if (!ofWebhook) {
    ofWebhook = new Map();
    interests.set(webhook, ofWebhook);
  }
  let interest = ofWebhook.get(type);
  if (!interest) {
    interest = interestOf(webhook, type);
    ofWebhook.set(type, interest);
  }
  return interest;
}

function interestOf({ subscriptions }: Webhook, type: ProducedType): Interest {
  const wanted = new Set<unknown>();
  for (const { eventType, version, filters } of subscriptions) {
    if (eventType !== type || version !== PRODUCED_VERSION) continue;
    const values = filters?.[FILTER_FIELDS[type]];
    if (values === undefined) return 'all';
    // REST rejects a filter that is no list; here such a filter matches nothing.
    if (Array.isArray(values)) for (const value of values) wanted.add(value);
  }
  return wanted;
}

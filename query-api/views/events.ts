/**
 * View of universal events: their links, newest spreads and arbitrage, the statuses of their instruments, the last
 * catalog pass and the pipeline's time.
 */
import { on, onKeyed, type Stage } from '#infra/stages/stage';
import { archiveCutoff, isArchived } from '#schemas/domain/archived-events';
import { PRICE_PROVIDERS } from '#schemas/domain/providers';
import { clockTopic } from '#schemas/topics/control';
import {
  type Arbitrage,
  arbitrageHeadTopic,
  eventTopic,
  type Reconcile,
  reconcileTopic,
  type Spread,
  spreadHeadTopic,
} from '#schemas/topics/derived';
import { type MarketStatus, statusTopics } from '#schemas/topics/normalised';
import { createEventIndex, type EventIndex, putEvent, removeEvent, removeListedWhere } from './event-index.ts';

export interface EventsView extends EventIndex {
  readonly spreads: Map<string, Spread>;
  /** By universal id, then kind. */
  readonly arbitrage: Map<string, Map<string, Arbitrage>>;
  /** Statuses of the instruments of questions. */
  readonly statuses: Map<string, MarketStatus>;
  reconcile: Reconcile | null;
  /** The pipeline's time, unix ms, also during playback; null before the first clock record. */
  now: number | null;
  /**
   * Unix ms: events that ended earlier are archived and not held here (`isArchived`). 0, so none, before the first clock
   * record.
   */
  archiveCutoff: number;
}

export const eventsView: Stage<EventsView> = {
  name: 'view.events',
  inputs: [
    on(clockTopic, (view: EventsView, { receivedAt }) => {
      view.now = receivedAt;
      dropArchived(view, archiveCutoff(receivedAt));
    }),
    onKeyed(eventTopic, (view: EventsView, { key, value }) => {
      if (value && !isArchived(value, view.archiveCutoff)) putEvent(view, value);
      else removeEvent(view, key);
    }),
    onKeyed(spreadHeadTopic, (view: EventsView, { key, value }) => {
      if (value) view.spreads.set(key, value);
      else view.spreads.delete(key);
    }),
    onKeyed(arbitrageHeadTopic, (view: EventsView, { key, value }) => putArbitrage(view, key, value)),
    ...Object.values(statusTopics).map((topic) =>
      onKeyed<EventsView, MarketStatus>(topic, (view, { key, value }) => {
        if (value === null) view.statuses.delete(key);
        else if (!PRICE_PROVIDERS.has(value.provider)) view.statuses.set(key, value);
      }),
    ),
    onKeyed(reconcileTopic, (view: EventsView, { value }) => {
      view.reconcile = value;
    }),
  ],
  outputs: [],
  initialState: () => ({
    ...createEventIndex(),
    spreads: new Map(),
    arbitrage: new Map(),
    statuses: new Map(),
    reconcile: null,
    now: null,
    archiveCutoff: 0,
  }),
};

/** Drops events that became archived, once per UTC day. The table still has them. */
function dropArchived(view: EventsView, cutoff: number): void {
  if (cutoff <= view.archiveCutoff) return;
  view.archiveCutoff = cutoff;
  removeListedWhere(view, (event) => isArchived(event, cutoff));
}

/** Updates the arbitrage of an event. The key is `universalId:kind`; a tombstone carries nothing else. */
function putArbitrage(view: EventsView, key: string, value: Arbitrage | null): void {
  const at = key.lastIndexOf(':');
  const [universalId, kind] = [key.slice(0, at), key.slice(at + 1)];
  const kinds = view.arbitrage.get(universalId);
  if (value) {
    if (kinds) kinds.set(kind, value);
    else view.arbitrage.set(universalId, new Map([[kind, value]]));
  } else if (kinds?.delete(kind) && kinds.size === 0) view.arbitrage.delete(universalId);
}

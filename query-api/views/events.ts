/** View of universal events: their links, newest spreads and arbitrage, the newest catalog pass, the pipeline's time. */
import { on, onKeyed, type Stage } from '#infra/stages/stage';
import { isPast, pastBefore } from '#schemas/domain/past-events';
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
import { createEventIndex, type EventIndex, putEvent, removeEvent, removeListed } from './event-index.ts';

export interface EventsView extends EventIndex {
  readonly spreads: Map<string, Spread>;
  /** By universal event, then kind. */
  readonly arbitrage: Map<string, Map<string, Arbitrage>>;
  reconcile: Reconcile | null;
  /** The pipeline's time, unix ms; null before the first mark. What "now" means, also while a recording plays. */
  now: number | null;
  /** Unix ms: what was over before is past, and not held here (`isPast`). 0 before the first mark: nothing is. */
  pastBefore: number;
}

export const eventsView: Stage<EventsView> = {
  name: 'view.events',
  inputs: [
    on(clockTopic, (view: EventsView, { receivedAt }) => {
      view.now = receivedAt;
      forgetPast(view, pastBefore(receivedAt));
    }),
    onKeyed(eventTopic, (view: EventsView, { key, value }) => {
      if (value && !isPast(value, view.pastBefore)) putEvent(view, value);
      else removeEvent(view, key);
    }),
    onKeyed(spreadHeadTopic, (view: EventsView, { key, value }) => {
      if (value) view.spreads.set(key, value);
      else view.spreads.delete(key);
    }),
    onKeyed(arbitrageHeadTopic, (view: EventsView, { key, value }) => putArbitrage(view, key, value)),
    onKeyed(reconcileTopic, (view: EventsView, { value }) => {
      view.reconcile = value;
    }),
  ],
  outputs: [],
  initialState: () => ({
    ...createEventIndex(),
    spreads: new Map(),
    arbitrage: new Map(),
    reconcile: null,
    now: null,
    pastBefore: 0,
  }),
};

/** Once a UTC day. The table has what goes, and so does whoever tells the view everything again. */
function forgetPast(view: EventsView, before: number): void {
  if (before <= view.pastBefore) return;
  view.pastBefore = before;
  removeListed(view, (event) => isPast(event, before));
}

/** The key is `universalId:kind`; a tombstone has nothing else. */
function putArbitrage(view: EventsView, key: string, value: Arbitrage | null): void {
  const at = key.lastIndexOf(':');
  const [universalId, kind] = [key.slice(0, at), key.slice(at + 1)];
  const kinds = view.arbitrage.get(universalId);
  if (value) {
    if (kinds) kinds.set(kind, value);
    else view.arbitrage.set(universalId, new Map([[kind, value]]));
  } else if (kinds?.delete(kind) && kinds.size === 0) view.arbitrage.delete(universalId);
}

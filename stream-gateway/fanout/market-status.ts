/**
 * The status of markets for `status` frames: a view of the status topics and of the events' links. A subscription to an
 * event's channel shows the worst state of its legs; one to a raw feed shows the state of its instrument.
 */
import { on, onKeyed, type Stage } from '#infra/stages/stage';
import { hasLeg } from '#schemas/domain/linked-markets';
import { isWorse, type PriceState } from '#schemas/domain/price-state';
import { clockTopic } from '#schemas/topics/control';
import { eventTopic } from '#schemas/topics/derived';
import { type MarketStatus, statusTopics } from '#schemas/topics/normalised';

export interface InstrumentStatus {
  readonly state: PriceState;
  readonly since: number;
}

export interface MarketStatusState {
  readonly instruments: Map<string, InstrumentStatus>;
  /** YES instruments of the used links of each event whose markets are open. */
  readonly legs: Map<string, readonly string[]>;
  readonly eventsOf: Map<string, string[]>;
  /** Instruments whose state or whose events changed since the last `drainChanges`. */
  changed: string[];
}

export const marketStatusView: Stage<MarketStatusState> = {
  name: 'view.market-status',
  inputs: [
    ...Object.values(statusTopics).map((topic) =>
      onKeyed<MarketStatusState, MarketStatus>(topic, (state, { key, value }) => {
        if (value) state.instruments.set(key, { state: value.state, since: value.since });
        else state.instruments.delete(key);
        state.changed.push(key);
      }),
    ),
    onKeyed(eventTopic, (state: MarketStatusState, { key, value }) => {
      // A closed market does not affect the status.
      const traded = value?.links.filter((link) => hasLeg(link) && link.marketState === 'open') ?? [];
      const legs = traded.map((link) => link.yesInstrument);
      const before = state.legs.get(key) ?? [];
      if (legs.join('\n') === before.join('\n')) return;
      for (const instrument of before) {
        const events = state.eventsOf.get(instrument)?.filter((id) => id !== key) ?? [];
        if (events.length > 0) state.eventsOf.set(instrument, events);
        else state.eventsOf.delete(instrument);
      }
      if (legs.length > 0) state.legs.set(key, legs);
      else state.legs.delete(key);
      state.changed.push(...legs);
      for (const instrument of legs) state.eventsOf.set(instrument, [...(state.eventsOf.get(instrument) ?? []), key]);
    }),
    // Read only for its event time: derived topics may be too far behind to show how late they are.
    on(clockTopic, () => {}),
  ],
  outputs: [],
  initialState: () => ({ instruments: new Map(), legs: new Map(), eventsOf: new Map(), changed: [] }),
};

/** Instruments that changed since the last call. */
export function drainChanges(state: MarketStatusState): string[] {
  const changed = [...new Set(state.changed)];
  state.changed = [];
  return changed;
}

/** The status of an instrument; null if nothing is known. */
export function instrumentStatus(state: MarketStatusState, instrument: string): InstrumentStatus | null {
  return state.instruments.get(instrument) ?? null;
}

/**
 * The worst state of an event's legs, or null if nothing is known of any. A bad state began when the first leg entered
 * it; an event is live since its last leg is.
 */
export function eventStatus(state: MarketStatusState, universalId: string): InstrumentStatus | null {
  let worst: InstrumentStatus | null = null;
  for (const instrument of state.legs.get(universalId) ?? []) {
    const status = state.instruments.get(instrument);
    if (status && (!worst || hasPriority(status, worst))) worst = status;
  }
  return worst;
}

function hasPriority(one: InstrumentStatus, other: InstrumentStatus): boolean {
  if (one.state !== other.state) return isWorse(one.state, other.state);
  return one.state === 'live' ? one.since > other.since : one.since < other.since;
}

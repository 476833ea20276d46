/** The state of the events stage. */
import type { Resolution } from '#schemas/topics/oracle';
import type { Waiting } from '../shared/waiting.ts';
import type { Deadline } from './deadlines.ts';
import type { MarketEntry } from './market-entry.ts';

/** A universal event. */
export interface EventEntry {
  readonly universalId: string;
  firstSeenAt: number;
  lastSeenAt: number;
  /** Counts the events in the order in which they were founded: the tie-break of equal ages. */
  readonly ordinal: number;
  /** Keys of its markets in the order in which they joined; empty once it is merged. */
  members: string[];
  /**
   * The side that it is seen from: that of its first market which has one. It stays when that market leaves, so that the
   * prices of the event never turn. Null while no market has one.
   */
  op: MarketEntry['op'];
  mergedInto: string | null;
  /** Events that were merged into it. */
  absorbed: string[];
  /** Of the record told last, but for its `receivedAt`. */
  emittedFingerprint: string;
  /** The deadline that is waited for. */
  deadline: number | null;
  /** As it was told last (`UniversalEvent.overAt`): what is past is found without its markets. */
  overAt: number | null;
}

/** Grows with the catalog of what is open or was over lately; what waits is bounded by `processors/shared/waiting.ts`. */
export interface EventsState {
  readonly markets: Map<string, MarketEntry>;
  readonly events: Map<string, EventEntry>;
  /** Question key to the event that newcomers with that key join. */
  readonly eventsByKey: Map<string, string>;
  readonly deadlines: Deadline[];
  /** Resolutions of markets that no catalog has told yet. */
  readonly waiting: Waiting<Pick<Resolution, 'id' | 'status'>>;
  /** Events founded so far. */
  eventsCreated: number;
  /** The newest clock mark. */
  now: number;
  /** Markets that were new or changed since the pass began; null while nothing of a catalog came. */
  changedInPass: Set<string> | null;
}

export function createEventsState(): EventsState {
  return {
    markets: new Map(),
    events: new Map(),
    eventsByKey: new Map(),
    deadlines: [],
    waiting: new Map(),
    eventsCreated: 0,
    now: 0,
    changedInPass: null,
  };
}

/** The markets of an event in the order in which they joined. */
export function marketsOf(state: EventsState, event: EventEntry): MarketEntry[] {
  return event.members.map((key) => state.markets.get(key)!);
}

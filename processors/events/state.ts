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
  /** Position in the order of creation: the tie-break between events of equal age. */
  readonly ordinal: number;
  /** Keys of its markets in the order in which they joined; empty once it is merged. */
  members: string[];
  /**
   * The comparison that counts as the event's YES: that of its first market with an invertible one (`invertibleOp`). It stays
   * when that market leaves, so that the event's YES and NO never swap. Null while no market has one.
   */
  op: MarketEntry['op'];
  mergedInto: string | null;
  /** Events that were merged into it. */
  absorbed: string[];
  /** Fingerprint of the newest emitted record without its `receivedAt`. */
  emittedFingerprint: string;
  /** The newest deadline that was added to `EventsState.deadlines`. */
  deadline: number | null;
  /** `UniversalEvent.overAt` of the newest record: events to archive are found without reading their markets. */
  overAt: number | null;
}

/**
 * The size follows the markets that are open or closed recently; `waiting` is bounded by
 * `processors/shared/waiting.ts`.
 */
export interface EventsState {
  readonly markets: Map<string, MarketEntry>;
  readonly events: Map<string, EventEntry>;
  /** Event that a new market joins, by the key of its question. */
  readonly eventsByKey: Map<string, string>;
  /** Outdated deadlines are dropped when they are more than the events (`deadlines.ts`). */
  readonly deadlines: Deadline[];
  /** Resolutions of markets that no catalog has listed yet. */
  readonly waiting: Waiting<Pick<Resolution, 'id' | 'status'>>;
  /** Number of events created so far. */
  eventsCreated: number;
  /** The newest clock mark. */
  now: number;
  /**
   * Markets that are new or changed since the current catalog pass began; null if no catalog record came since the last
   * tick.
   */
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

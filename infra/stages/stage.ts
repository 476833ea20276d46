/**
 * A stage is a pure step over topics: a processor, or a view that a role holds in memory. The loop in `stage-loop.ts`
 * owns everything that is not pure: reading in one merged order, decoding, writing, snapshots, dead letters, restart.
 */
import type { Topic } from '#schemas/topics/topic';
import type { SlicedPath } from './sliced-state.ts';

/**
 * A record with its position. A null value is a tombstone. The value is decoded when it is first read, so a handler that
 * sees from the key that a record is not for it leaves it unread. Stages of one process share a value: nothing of it is
 * ever changed.
 */
export interface StageEvent<T> {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  readonly receivedAt: number;
  readonly value: T;
}

/** Where a step puts its outputs. They carry the `receivedAt` of the event being stepped. */
export interface Emit {
  <T>(topic: Topic<T>, key: string, value: T): void;
  /** Removes a key of a compacted topic. */
  remove(topic: Topic, key: string): void;
  /**
   * Sends the event at hand to its dead-letter topic, for what is unusable in it; what is emitted besides is kept, so a
   * page with one bad entry gives its good ones. `reason` is a short stable code, counted in /metrics.
   */
  dead(reason: string, detail: string): void;
}

/** One input of a stage and what to do with its events. State is changed in place; it must survive `v8.serialize`. */
export interface StageInput<S> {
  readonly topic: Topic;
  readonly handle: (state: S, event: StageEvent<never>, emit: Emit) => void;
}

/**
 * `(state, event) -> { state, outputs }`: no wall clock, no I/O, no randomness. An exception from a handler means that
 * the event is bad: its outputs are dropped and it goes to `dead.<topic>`, so a handler checks before it changes state.
 * The same holds for an output that does not fit the schema of its topic.
 */
export interface Stage<S> {
  readonly name: string;
  /**
   * Version of the state's shape and meaning, 1 where it is left out. A snapshot of another version is not used, so
   * whoever changes what the handlers expect of the state raises it.
   */
  readonly stateVersion?: number;
  /**
   * Maps and sets of the state that can have more than some ten thousand entries, or large ones, by their paths (`books`,
   * `catalog.over`): snapshots write them out in slices, so that the rest of the process gets its turn meanwhile. An
   * object that stands in two slices comes back as two, so what is told apart or changed by identity is not named.
   */
  readonly slicedMaps?: readonly SlicedPath<S>[];
  readonly inputs: readonly StageInput<S>[];
  readonly outputs: readonly Topic[];
  readonly initialState: () => S;
}

/**
 * Types an input: `on(tradeTopics.venue_a, onTrade)`. Throws for a compacted topic, whose keys can be removed: `onKeyed`
 * says what to do then.
 */
export function on<S, T>(topic: Topic<T>, handle: (state: S, event: StageEvent<T>, emit: Emit) => void): StageInput<S> {
  if (topic.retention.kind === 'compacted') throw new TypeError(`${topic.name} is compacted: take it by onKeyed`);
  return { topic, handle: handle as StageInput<S>['handle'] };
}

/** Like `on`, for compacted topics, whose keys can be removed: the value may be null. */
export function onKeyed<S, T>(
  topic: Topic<T>,
  handle: (state: S, event: StageEvent<T | null>, emit: Emit) => void,
): StageInput<S> {
  return { topic, handle: handle as StageInput<S>['handle'] };
}

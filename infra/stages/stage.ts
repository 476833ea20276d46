/**
 * A stage is a pure step over topics: a processor, or a view that a role holds in memory. The loop in `stage-loop.ts`
 * owns everything that is not pure: reading in one merged order, decoding, writing, snapshots, dead letters, restart.
 */
import type { Topic } from '#schemas/topics/topic';
import type { SlicedPath } from './sliced-state.ts';

/** Work in slices of about half a millisecond, which end at each `yield`. */
export type Slices = Generator<undefined, void>;

/** Handles a record. It returns the rest of its work in slices if that can last long; the next record waits for it. */
export type Handler<S, T> =
  | ((state: S, record: StageRecord<T>, emit: Emit) => void)
  | ((state: S, record: StageRecord<T>, emit: Emit) => Slices | undefined);

/**
 * A record with its position. A null value is a tombstone. The value is decoded on first access, so a handler that sees
 * from the key that a record is irrelevant leaves it unread. Stages of one process share a value, so no handler may
 * change it.
 */
export interface StageRecord<T> {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  readonly receivedAt: number;
  readonly value: T;
}

/** Receives the outputs of a handler. They carry the `receivedAt` of the record being processed. */
export interface Emit {
  <T>(topic: Topic<T>, key: string, value: T): void;
  /** Removes a key of a compacted topic. */
  remove(topic: Topic, key: string): void;
  /**
   * Writes the current record to its dead-letter topic because part of it is unusable. Other outputs of the record are
   * still emitted, so a page with one bad entry yields its good ones. `reason` is a short stable code, counted in
   * /metrics.
   */
  deadLetter(reason: string, detail: string): void;
}

/** One input of a stage with its handler. State is changed in place; it must survive `v8.serialize`. */
export interface StageInput<S> {
  readonly topic: Topic;
  readonly handle: Handler<S, never>;
  /** For a view: the heads that contain the older records of this input, so that a start need not read these. */
  readonly heads?: Heads;
}

/** The newest state of each key, which a stage writes of the records of another topic. */
export interface Heads {
  /** A compacted topic. */
  readonly topic: Topic;
  /**
   * A record of the topic with the event time t follows the heads that contain every record that was received up to
   * this long before t.
   */
  readonly delayMs: number;
}

/**
 * A deterministic step of the pipeline. A handler gets `(state, record, emit)`, changes `state` in place and passes its
 * outputs to `emit`. It depends on nothing else: no wall clock, no I/O, no randomness. An exception from a handler means
 * that the record is bad: its outputs are dropped and it goes to `dead.<topic>`, so a handler checks before it changes
 * state. The same holds for an output that does not fit the schema of its topic.
 */
export interface Stage<S> {
  readonly name: string;
  /**
   * Version of the state's shape and meaning; default 1. Raise it when you change what the handlers expect of the state.
   * `SnapshotStore` says what happens to a snapshot of another version.
   */
  readonly stateVersion?: number;
  /**
   * Paths of the maps and sets in the state that can have more than some ten thousand entries, or large ones (`books`,
   * `catalog.closed`): snapshots write them in slices, so that the rest of the process gets its turn meanwhile. An
   * object that is in two slices is restored as two, so do not name collections that rely on identity.
   */
  readonly slicedMaps?: readonly SlicedPath<S>[];
  readonly inputs: readonly StageInput<S>[];
  readonly outputs: readonly Topic[];
  readonly initialState: () => S;
}

/**
 * Types an input: `on(tradeTopics.venue_a, onTrade)`. Throws for a compacted topic, whose keys can be removed: use
 * `onKeyed` for it.
 */
export function on<S, T>(topic: Topic<T>, handle: Handler<S, T>): StageInput<S> {
  if (topic.retention.kind === 'compacted') throw new TypeError(`${topic.name} is compacted: use onKeyed`);
  return { topic, handle: handle as StageInput<S>['handle'] };
}

/** Declares that a view need not read the records of an input that heads contain, which it reads from another input. */
export function after<S>(heads: Heads, input: StageInput<S>): StageInput<S> {
  return { ...input, heads };
}

/** Like `on`, for compacted topics, whose keys can be removed: the value may be null. */
export function onKeyed<S, T>(topic: Topic<T>, handle: Handler<S, T | null>): StageInput<S> {
  return { topic, handle: handle as StageInput<S>['handle'] };
}

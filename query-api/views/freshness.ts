/** How current the views are: responses carry their time, and data that lags is not reported as live. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LAG_MAX_MS } from '#infra/stages/pipeline-clock';
import type { Topic } from '#schemas/topics/topic';
import type { EventsView } from './events.ts';

export interface Freshness {
  /** The pipeline's time, unix ms; null before any is known. */
  now(): number | null;
  /** False during and after playback of a recording, when lag is ignored. */
  isLive(): boolean;
  /** Event time up to which the views hold everything that was emitted to the topic; null while unknown. */
  asOf(topic: Topic): number | null;
  /**
   * Receive time of the last book frame of an instrument that was received at or before a time, unix ms; null if this
   * process does not know it.
   */
  bookAt(instrument: string, until: number): number | null;
  /** True if `bookAt` knows every frame that was received before a time. */
  knowsBooksUntil(time: number): boolean;
  /**
   * Event time, unix ms, up to which the tables hold the rows of every record that these topics hold; never later than
   * `until`, the position of a view. Null if it is unknown. Call it before the tables are read.
   */
  tablesAsOf(topics: readonly Topic[], until: number): Promise<number | null>;
  /**
   * Time of the newest block of venue_b, unix ms, of which and of all earlier ones the tables hold what follows from their
   * logs; null while it is unknown. Call it before the tables are read.
   * @param stage a topic of the stage that emits to `topics`, whose position a view follows.
   */
  followedThrough(stage: Topic, topics: readonly Topic[]): Promise<number | null>;
}

/** The freshness of fixed data: all of it is as of the last clock record. */
export function fixedFreshness(events: Pick<EventsView, 'now'>): Freshness {
  return {
    now: () => events.now,
    isLive: () => false,
    asOf: () => events.now,
    bookAt: () => null,
    knowsBooksUntil: () => true,
    tablesAsOf: async (_, until) => until,
    followedThrough: async () => events.now,
  };
}

/**
 * Returns the event time, unix ms, up to which the tables hold everything of some topics. Call it before the tables are
 * read.
 * @param stage a topic of the stage that emits to them, whose position a view follows.
 * @param known an earlier time that the tables have certainly reached; null if there is none. It is returned while the
 *   position of the stage or of the tables is unknown.
 */
export async function tablesUntil<K extends number | null>(
  freshness: Freshness,
  stage: Topic,
  topics: readonly Topic[],
  known: K,
): Promise<number | K> {
  const until = freshness.asOf(stage) ?? known;
  return until === null ? known : ((await freshness.tablesAsOf(topics, until)) ?? known);
}

/** The frames of books usually arrive before the figures that follow from them. */
const BOOKS_WAIT_MS = 5;
const BOOKS_WAITS_MAX = 4;

/**
 * Waits until `lastBookAt` knows every frame that the figures of a topic reflect. It waits at most 20 ms; after that the
 * time that a record itself states is used where it is later. Call it right before the figures are read.
 */
export async function waitForBooks(freshness: Freshness, topic: Topic): Promise<void> {
  for (let waits = 0; waits < BOOKS_WAITS_MAX; waits += 1) {
    const asOf = freshness.asOf(topic);
    if (asOf === null || freshness.knowsBooksUntil(asOf)) return;
    await sleep(BOOKS_WAIT_MS);
  }
}

/** True if the data of the topic lags too far behind to be reported as live. */
export function isBehind(freshness: Freshness, topic: Topic): boolean {
  const [now, asOf] = [freshness.now(), freshness.asOf(topic)];
  return freshness.isLive() && now !== null && (asOf === null || now - asOf > LAG_MAX_MS);
}

/**
 * Receive time of the last book frame of an instrument that the figures of a topic reflect: this view may read frames
 * before the stage that calculates the figures has processed them. Null if this process does not know it.
 */
export function lastBookAt(freshness: Freshness, topic: Topic, instrument: string): number | null {
  const asOf = freshness.asOf(topic);
  return asOf === null ? null : freshness.bookAt(instrument, asOf);
}

/** How old what the views hold is: answers say as of when they are, and data that lags does not count as live. */
import { LAG_MAX_MS } from '#infra/stages/pipeline-clock';
import type { Topic } from '#schemas/topics/topic';
import type { EventsView } from './events.ts';

export interface Freshness {
  /** The pipeline's time, unix ms; null before any is known. */
  now(): number | null;
  /** False while or after a recording is played: then nothing lags. */
  isLive(): boolean;
  /** Event time up to which the view of events holds everything that a stage writes to the topic; null while unknown. */
  asOf(topic: Topic): number | null;
  /** Receive time of the last book frame of an instrument, unix ms; null when this process has seen none. */
  bookAt(instrument: string): number | null;
}

/** The freshness of data that no longer changes: all of it is as of the newest clock mark. */
export function fixedFreshness(events: Pick<EventsView, 'now'>): Freshness {
  return { now: () => events.now, isLive: () => false, asOf: () => events.now, bookAt: () => null };
}

/** Whether what a stage writes to the topic is too far behind to be called live. */
export function isBehind(freshness: Freshness, topic: Topic): boolean {
  const [now, asOf] = [freshness.now(), freshness.asOf(topic)];
  return freshness.isLive() && now !== null && (asOf === null || now - asOf > LAG_MAX_MS);
}

/**
 * Receive time of the last book frame of an instrument that the figures of a topic can contain: frames may be seen before
 * the stage that writes the figures has processed them. Null when this process has seen none.
 */
export function lastBookAt(freshness: Freshness, topic: Topic, instrument: string): number | null {
  const [bookAt, asOf] = [freshness.bookAt(instrument), freshness.asOf(topic)];
  return bookAt === null || asOf === null ? null : Math.min(bookAt, asOf);
}

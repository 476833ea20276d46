/**
 * Detects new trades and position moves without remembering them: those of a venue are numbered in order of arrival, a
 * repeated record has the same number, and one that is included again after a reversal gets a new one (`arrival`).
 */
import type { StageRecord } from '#infra/stages/stage';

/** Newest processed `arrival` of each partition, by topic. */
export type NewestArrivals = Map<string, number[]>;

/** Records an arrival and returns true for the first record of a trade. A trade never changes its partition. */
export function isNewArrival(
  arrivals: NewestArrivals,
  { topic, partition, value }: Pick<StageRecord<{ readonly arrival: number }>, 'topic' | 'partition' | 'value'>,
): boolean {
  let newest = arrivals.get(topic);
  if (!newest) {
    newest = [];
    arrivals.set(topic, newest);
  }
  // Filled with zeros, so that the array is dense whichever partition comes first.
  while (newest.length <= partition) newest.push(0);
  if (value.arrival <= newest[partition]!) return false;
  newest[partition] = value.arrival;
  return true;
}

/**
 * What is new in a telling of a trade, without remembering trades: a venue counts its trades in order of arrival, a trade
 * told again keeps its number, and one that is included again after a reversal gets another (`Trade.arrival`).
 */
import type { StageEvent } from '#infra/stages/stage';
import type { Trade } from '#schemas/topics/normalised';
import type { Arrivals } from './state.ts';

/** Takes note of a telling; true for the first one of a trade. A trade stays in its partition. */
export function isNewArrival(
  arrivals: Map<string, number[]>,
  { topic, partition, value }: Pick<StageEvent<Trade>, 'topic' | 'partition' | 'value'>,
): boolean {
  let newest = arrivals.get(topic);
  if (!newest) {
    newest = [];
    arrivals.set(topic, newest);
  }
  // Filled up, so that there are no holes, whichever partition begins.
  while (newest.length <= partition) newest.push(0);
  if (value.arrival <= newest[partition]!) return false;
  newest[partition] = value.arrival;
  return true;
}

/**
 * Where the trades of each venue stand now. In the merged order all that was received before this moment is taken, so
 * every trade that comes has a higher number.
 */
export function currentArrivals(arrivals: ReadonlyMap<string, readonly number[]>): Arrivals {
  return Object.fromEntries(Array.from(arrivals, ([topic, newest]) => [topic, Math.max(...newest)]));
}

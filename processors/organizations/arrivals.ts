import type { NewestArrivals } from '../shared/new-arrivals.ts';
import type { Arrivals } from './state.ts';

/**
 * Returns the newest arrival of each venue's trades. In the merged order everything received before this moment is
 * processed, so every later trade has a higher number.
 */
export function currentArrivals(arrivals: NewestArrivals): Arrivals {
  return Object.fromEntries(Array.from(arrivals, ([topic, newest]) => [topic, Math.max(...newest)]));
}

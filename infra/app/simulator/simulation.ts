import type { SeriesKind, World } from './world/world.ts';

/** Length of a simulation step. */
export const STEP_MS = 10;

/** Publishes what a venue sends without a request. A step calls each method of all feeds, then the next one. */
export interface SimulatedFeed {
  /** Publishes the changes of the catalog in [fromMs, toMs). */
  catalog?(fromMs: number, toMs: number): void;
  /** Publishes an event of the world's schedule; a feed ignores series of other venues. */
  event?(series: SeriesKind, index: number, event: number): void;
  /** Publishes what else happens in [fromMs, toMs). */
  endStep?(fromMs: number, toMs: number): void;
}

/** Counts since the start. */
export interface SimulationCounts {
  events: number;
  bookUpdates: number;
  venueATrades: number;
  /** Matches on venue_b, each with one or more maker orders. */
  matches: number;
}

/** Runs the simulation step by step. It holds no state of the world, so any step may be the first. */
export interface Simulation {
  /** Runs the step that starts at a time (a multiple of `STEP_MS`). */
  runStep(fromMs: number): void;
  readonly counts: SimulationCounts;
}

/** Creates a simulation that passes the world's events and the steps to the feeds, in order of time. */
export function createSimulation(world: World, feeds: readonly SimulatedFeed[]): Simulation {
  const { schedule } = world;
  const counts: SimulationCounts = { events: 0, bookUpdates: 0, venueATrades: 0, matches: 0 };

  const runEvent = (event: number) => {
    const { kind, index } = world.series(schedule.seriesByEntry[event % schedule.length]!);
    counts.events += 1;
    if (kind === 'ladder_trade' || kind === 'outcome_trade') counts.venueATrades += 1;
    else if (kind === 'question' && world.isMatch(index, schedule.versionOf(event))) counts.matches += 1;
    else counts.bookUpdates += 1;
    for (const feed of feeds) feed.event?.(kind, index, event);
  };

  return {
    counts,
    runStep(fromMs) {
      const toMs = fromMs + STEP_MS;
      for (const feed of feeds) feed.catalog?.(fromMs, toMs);
      const last = schedule.firstEventAt(toMs);
      for (let event = schedule.firstEventAt(fromMs); event < last; event += 1) runEvent(event);
      for (const feed of feeds) feed.endStep?.(fromMs, toMs);
    },
  };
}

import type { VenueAFeed } from './venues/venue-a/feed.ts';
import { blockTime } from './venues/venue-b/blocks.ts';
import type { Block, Chain } from './venues/venue-b/chain.ts';
import type { VenueBFeed } from './venues/venue-b/feed.ts';
import type { Question } from './world/questions.ts';
import { HOUR_MS } from './world/time.ts';
import type { World } from './world/world.ts';

/** Length of a simulation step. */
export const STEP_MS = 10;

/** Time before an hour in which the ids of the next questions are computed. */
const WARM_UP_MS = 60_000;

/** Receivers of simulated events. */
export interface SimulationOutputs {
  readonly venueA: VenueAFeed;
  readonly venueB: VenueBFeed;
  /** Called with a new block. After a reorganization, with the removed blocks and all that replaced them. */
  readonly blocks: (removed: readonly Block[], added: readonly Block[]) => void;
}

/** Counts since the start. */
export interface SimulationCounts {
  events: number;
  bookUpdates: number;
  venueATrades: number;
  /** Matches on venue_b, each with one or more maker orders. */
  matches: number;
  blocks: number;
  logs: number;
  reorgs: number;
}

/** Runs the simulation step by step. It holds no state of the world, so any step may be the first. */
export interface Simulation {
  /** Runs the step that starts at a time (a multiple of `STEP_MS`). */
  runStep(fromMs: number): void;
  readonly counts: SimulationCounts;
}

/** Creates a simulation that emits the world's events, catalog changes and blocks in order of time. */
export function createSimulation(world: World, chain: Chain, outputs: SimulationOutputs): Simulation {
  const { schedule } = world;
  const counts: SimulationCounts = {
    events: 0,
    bookUpdates: 0,
    venueATrades: 0,
    matches: 0,
    blocks: 0,
    logs: 0,
    reorgs: 0,
  };

  const runEvent = (event: number) => {
    const { kind, index } = world.series(schedule.seriesByEntry[event % schedule.length]!);
    counts.events += 1;
    if (kind === 'question') {
      if (world.isMatch(index, schedule.versionOf(event))) counts.matches += 1;
      else counts.bookUpdates += 1;
      outputs.venueB.event(index, event);
      return;
    }
    if (kind === 'ladder_book' || kind === 'outcome_book') counts.bookUpdates += 1;
    else counts.venueATrades += 1;
    outputs.venueA.event(kind, index, event);
  };

  /** Lists new questions on the hour, and publishes results when they are due. */
  const runCatalog = (fromMs: number, toMs: number) => {
    const sinceHourMs = fromMs % HOUR_MS;
    const toHourMs = HOUR_MS - sinceHourMs;
    if (toHourMs <= WARM_UP_MS) warm(fromMs + toHourMs, WARM_UP_MS - toHourMs);
    const createdOn = (board: World['venueA']): Question[] =>
      sinceHourMs === 0 ? board.expiringAt(fromMs).map(({ slot }) => board.liveIn(slot.index, fromMs)) : [];
    outputs.venueA.outcomes(createdOn(world.venueA), world.venueA.settledIn(fromMs, toMs));
    outputs.venueB.markets(createdOn(world.venueB), world.venueB.settledIn(fromMs, toMs), fromMs);
  };

  /** Computes some ids of the markets of the next hour in each step, since all at once would take too long. */
  const warm = (hourMs: number, sinceMs: number) => {
    const { slots } = world.venueB;
    const place = (ms: number) => Math.floor((slots.length * ms) / WARM_UP_MS);
    for (let slot = place(sinceMs); slot < place(sinceMs + STEP_MS); slot += 1) {
      const { expiresAtMs, generation } = world.venueB.liveIn(slot, hourMs - 1);
      if (expiresAtMs === hourMs) world.idsOf(world.venueB.byGeneration(slot, generation + 1));
    }
  };

  const runChain = (fromMs: number) => {
    const head = chain.headAt(fromMs);
    // A block appears in the step that starts at its time; steps are shorter than blocks.
    if (blockTime(head) !== fromMs) return;
    const reorg = chain.spontaneousReorgAt(head);
    const block = chain.block(head, head);
    counts.blocks += 1;
    counts.logs += block.logs.length;
    if (!reorg) return outputs.blocks([], [block]);
    counts.reorgs += 1;
    const numbers = Array.from({ length: reorg.to - reorg.from + 1 }, (_, nth) => reorg.from + nth);
    const removed = numbers.map((number) => chain.block(number, head - 1));
    outputs.blocks(removed, [...numbers.map((number) => chain.block(number, head)), block]);
  };

  return {
    counts,
    runStep(fromMs) {
      const toMs = fromMs + STEP_MS;
      runCatalog(fromMs, toMs);
      const last = schedule.firstEventAt(toMs);
      for (let event = schedule.firstEventAt(fromMs); event < last; event += 1) runEvent(event);
      outputs.venueA.flush(fromMs, toMs);
      runChain(fromMs);
    },
  };
}

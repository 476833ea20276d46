import { createSimulation, STEP_MS } from './simulation.ts';
import { createAccounts } from './venues/venue-a/accounts.ts';
import { createVenueAFeed } from './venues/venue-a/feed.ts';
import { createMarkets } from './venues/venue-a/market.ts';
import { createCatalog } from './venues/venue-b/catalog.ts';
import { type Block, createChain } from './venues/venue-b/chain.ts';
import { createChainFeed } from './venues/venue-b/chain-feed.ts';
import { createVenueBFeed } from './venues/venue-b/feed.ts';
import { createMarketBoard } from './venues/venue-b/market-board.ts';
import { logText, shortHeadText } from './venues/venue-b/rpc-text.ts';
import { createWorld, type WorldSettings } from './world/world.ts';

/** Settings of a small world for tests. */
export const SMALL: WorldSettings = { seed: 7, rate: 200, events: 3, coins: 4 };
/** One minute before the questions of an hour expire. */
export const BEFORE_THE_HOUR = Date.UTC(2026, 2, 3, 16, 59);

/** Creates a simulation without sockets that records every line as `<interface> <text>`. */
export function createTestSimulation(settings: WorldSettings = SMALL, options = { spontaneousReorgs: false }) {
  const world = createWorld(settings);
  const markets = createMarkets(world);
  const board = createMarketBoard(world);
  const catalog = createCatalog(world, board);
  const chain = createChain(world, board, options);
  const lines: string[] = [];
  const record = (text: string) => void lines.push(`venue_b ${text}`);
  const blocks: Block[] = [];
  const venueB = createVenueBFeed(world, board, catalog, {
    wants: () => true,
    wantsCustom: () => true,
    toMarket: (_id, text) => record(text),
    toToken: (_id, text) => record(text),
    toTokenCustom: (_id, text) => record(text),
    toCustom: record,
  });
  const venueA = createVenueAFeed(world, markets, createAccounts(world), {
    wants: () => true,
    publish: (_topic, text) => void lines.push(`venue_a ${text}`),
    candleIntervals: () => ['1m'],
    users: () => new Set(),
  });
  const chainFeed = createChainFeed(chain, (_removed, added) => {
    for (const block of added) {
      blocks.push(block);
      lines.push(`block ${shortHeadText(block)}`);
      for (const log of block.logs) lines.push(`log ${logText(block, log, false)}`);
    }
  });
  const simulation = createSimulation(world, [venueA, venueB, chainFeed]);
  return {
    world,
    markets,
    board,
    catalog,
    chain,
    venueB,
    blocks,
    counts: simulation.counts,
    chainCounts: chainFeed.counts,
    lines,
    /** Simulates [fromMs, toMs) and returns its lines. */
    run(fromMs: number, toMs: number): string[] {
      lines.length = 0;
      for (let at = fromMs; at < toMs; at += STEP_MS) simulation.runStep(at);
      return [...lines];
    },
  };
}

/** Parses the market frames among the lines. */
export function venueBFrames(lines: readonly string[]): Record<string, unknown>[] {
  return lines.filter((line) => line.startsWith('venue_b ')).map((line) => JSON.parse(line.slice(8)));
}

/** Parses the frames of a channel of venue_a among the lines. */
export function venueAFrames(lines: readonly string[], channel: string): { channel: string; data: never }[] {
  return lines
    .filter((line) => line.startsWith(`venue_a {"channel":"${channel}"`))
    .map((line) => JSON.parse(line.slice(8)));
}

/** Describes the first line in which two runs differ; null if they are equal. */
export function firstDifference(left: readonly string[], right: readonly string[]): string | null {
  const at = left.findIndex((line, index) => line !== right[index]);
  if (at < 0) return left.length === right.length ? null : `${left.length} and ${right.length} lines`;
  return `line ${at}: ${left[at]?.slice(0, 200)} | ${right[at]?.slice(0, 200)}`;
}

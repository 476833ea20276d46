import { LRUCache } from 'lru-cache';
import { hashOf, hexOf, STREAM } from '../world/hash.ts';
import { accountChances } from '../world/matches.ts';
import { ORIGIN_MS } from '../world/time.ts';
import type { MatchEvent, World } from '../world/world.ts';
import { BLOCK_MS, blockTime } from './blocks.ts';
import { createMarketAgenda, type MarketTransaction } from './market-agenda.ts';
import type { MarketBoard } from './market-board.ts';
import { type LogBody, matchLogs, transactionHash } from './match-logs.ts';

/** Blocks above one that make it final. */
export const FINALITY_BLOCKS = 64;

/** A log in its place. */
export interface ChainLog extends LogBody {
  readonly transactionHash: string;
  readonly transactionIndex: number;
  readonly logIndex: number;
}

/** A log with the block that holds it, as far as a log tells of it. */
export interface PlacedLog {
  readonly block: Pick<Block, 'number' | 'hash' | 'timestamp'>;
  readonly log: ChainLog;
}

export interface Block {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly transactions: readonly string[];
  readonly logs: readonly ChainLog[];
}

/** A replacement of the blocks `from` to `to` (both inclusive) by others. */
export interface Reorg {
  readonly from: number;
  readonly to: number;
  /** Tells the replacements of one block apart; the first blocks are variant 0. */
  readonly variant: number;
}

export interface Chain {
  /** Number of the newest block at a moment. */
  headAt(atMs: number): number;
  /** The canonical block of a number as of a head. */
  block(number: number, head: number): Block;
  /** Logs of matches in the canonical block that can be of these accounts (lower case), and perhaps of others. */
  logsInvolving(number: number, head: number, accounts: ReadonlySet<string>): readonly PlacedLog[];
  /** The block of a hash, canonical or replaced, among the newest ones below a head. */
  byHash(hash: string, head: number): Block | null;
  /** Replaces the newest `depth` blocks below and including the head; answers the blocks that went and that came. */
  reorg(depth: number, head: number): { readonly gone: readonly Block[]; readonly came: readonly Block[] };
  /** What the self-made reorg that happens when this block appears replaces; null when there is none. */
  spontaneousReorgAt(head: number): Reorg | null;
}

/**
 * Log indices that a match takes: more than it has logs, so that the place of each follows without making those before
 * it. On a real chain the logs of other contracts lie between, too.
 */
const INDICES_PER_MATCH = 32;

/** Self-made reorgs: one in every term of this many blocks. */
const REORG_TERM = 60;
const MAX_REORG_DEPTH = 5;
/** How far below the head a block is found by its hash. */
const HASH_REACH = 5_000;
/** Logs that the cache holds together. */
const CACHED_LOGS = 40_000;

/** Tells the chance of a market's transaction from that of a match with the same number. */
const MARKET_SALT = 1_000_000;

/** What becomes of a match's transaction when its block is replaced. */
type ReorgEffect = 'stays' | 'moves' | 'dropped';

export function createChain(world: World, board: MarketBoard, settings: { readonly spontaneousReorgs: boolean }): Chain {
  const { seed } = world.settings;
  const agenda = createMarketAgenda(world, board);
  const requested: Reorg[] = [];
  const cache = new LRUCache<string, Block>({
    maxSize: CACHED_LOGS,
    sizeCalculation: (block) => block.logs.length + 1,
  });

  const spontaneousReorgIn = (term: number): Reorg & { readonly happensAt: number } => {
    const chance = hashOf(seed, STREAM.reorg, term);
    const happensAt = term * REORG_TERM + 2 * MAX_REORG_DEPTH + (chance % (REORG_TERM - 2 * MAX_REORG_DEPTH));
    const depth = 1 + ((chance >>> 16) % MAX_REORG_DEPTH);
    return { from: happensAt - depth, to: happensAt - 1, variant: 1, happensAt };
  };
  const spontaneousReorgAt = (head: number): Reorg | null => {
    if (!settings.spontaneousReorgs) return null;
    const reorg = spontaneousReorgIn(Math.floor(head / REORG_TERM));
    return reorg.happensAt === head ? reorg : null;
  };
  /** The newest reorg that replaced this block, as of a head. */
  const reorgOf = (number: number, head: number): Reorg | null => {
    const own = requested.findLast((reorg) => number >= reorg.from && number <= reorg.to);
    if (own) return own;
    if (!settings.spontaneousReorgs) return null;
    const reorg = spontaneousReorgIn(Math.floor(number / REORG_TERM));
    return reorg.happensAt <= head && number >= reorg.from && number <= reorg.to ? reorg : null;
  };

  const reorgEffectOf = (match: MatchEvent, { variant }: Reorg): ReorgEffect => {
    const chance = hashOf(seed, STREAM.fate, match.event, variant) % 16;
    if (chance === 0) return 'dropped';
    return chance < 4 ? 'moves' : 'stays';
  };
  const matchesIn = (number: number) => world.matchEventsBetween(blockTime(number) - BLOCK_MS, blockTime(number));
  const matchesOf = (number: number, reorg: Reorg | null): readonly MatchEvent[] => {
    if (!reorg) return matchesIn(number);
    const own = matchesIn(number).filter((match) => {
      const fate = reorgEffectOf(match, reorg);
      return fate === 'stays' || (fate === 'moves' && number === reorg.to);
    });
    if (number === reorg.from) return own;
    return [...matchesIn(number - 1).filter((match) => reorgEffectOf(match, reorg) === 'moves'), ...own];
  };
  /** A transaction of a market is not lost in a reorg: who sent it goes on until it stands. */
  const isMoved = ({ key }: MarketTransaction, { variant }: Reorg) =>
    hashOf(seed, STREAM.fate, key, variant + MARKET_SALT) % 2 === 0;
  const marketTransactionsIn = (number: number, reorg: Reorg | null): readonly MarketTransaction[] => {
    const planned = agenda.in(number);
    if (!reorg) return planned;
    const own = planned.filter((act) => number === reorg.to || !isMoved(act, reorg));
    if (number === reorg.from) return own;
    return [...agenda.in(number - 1).filter((act) => isMoved(act, reorg)), ...own];
  };

  /** What stood at a number before the canonical block: null is the first block; oldest first. */
  const replacedVariants = (number: number, canonical: Reorg | null): (Reorg | null)[] => {
    if (!canonical) return [];
    const earlier = requested.filter(
      (reorg) => number >= reorg.from && number <= reorg.to && reorg.variant < canonical.variant,
    );
    const spontaneous = spontaneousReorgIn(Math.floor(number / REORG_TERM));
    const wasReplaced = settings.spontaneousReorgs && canonical.variant > 1 && number >= spontaneous.from && number <= spontaneous.to;
    return [null, ...(wasReplaced ? [spontaneous] : []), ...earlier];
  };

  const hashOfBlock = (number: number, reorg: Reorg | null) =>
    hexOf(seed, STREAM.block, number, reorg?.variant ?? 0, 32);

  const placed = (transactionHash: string, nth: number, bodies: readonly LogBody[]): ChainLog[] =>
    bodies.map((body, at) => ({
      ...body,
      transactionHash,
      transactionIndex: nth,
      logIndex: nth * INDICES_PER_MATCH + at,
    }));
  const logsOfMatch = (event: MatchEvent, nth: number): ChainLog[] => {
    const match = world.matchOf(event);
    const question = world.venueB.liveIn(match.slot, match.timeMs);
    return placed(transactionHash(world, match), nth, matchLogs(world, world.idsOf(question), match));
  };
  /** Whether any of the accounts may have an order in the match; which makers there are, its book alone says. */
  const mayInvolve = ({ event }: MatchEvent, accounts: ReadonlySet<string>): boolean => {
    if (world.injections?.ofEvent(event)) return true;
    const [taker, ...makers] = accountChances(seed, event);
    if (accounts.has(world.population.account(taker!))) return true;
    return makers.some((chance) => world.population.couple(chance).some((account) => accounts.has(account)));
  };

  const build = (number: number, reorg: Reorg | null, parent: Reorg | null): Block => {
    const transactions: string[] = [];
    const logs: ChainLog[] = [];
    const include = (placed: readonly ChainLog[]) => {
      transactions.push(placed[0]!.transactionHash);
      logs.push(...placed);
    };
    for (const [nth, match] of matchesOf(number, reorg).entries()) include(logsOfMatch(match, nth));
    for (const { hash, logs: bodies } of marketTransactionsIn(number, reorg)) {
      include(placed(hash, transactions.length, bodies));
    }
    return {
      number,
      hash: hashOfBlock(number, reorg),
      parentHash: hashOfBlock(number - 1, parent),
      timestamp: blockTime(number) / 1000,
      transactions,
      logs,
    };
  };

  const block = (number: number, head: number): Block => {
    const reorg = reorgOf(number, head);
    const parent = reorgOf(number - 1, head);
    const key = `${number} ${reorg?.variant ?? 0} ${parent?.variant ?? 0}`;
    let known = cache.get(key);
    if (!known) {
      known = build(number, reorg, parent);
      cache.set(key, known);
    }
    return known;
  };

  return {
    headAt: (atMs) => Math.floor((atMs - ORIGIN_MS) / BLOCK_MS),
    block,
    spontaneousReorgAt: spontaneousReorgAt,
    logsInvolving(number, head, accounts) {
      const reorg = reorgOf(number, head);
      const block = { number, hash: hashOfBlock(number, reorg), timestamp: blockTime(number) / 1000 };
      return matchesOf(number, reorg).flatMap((event, nth) =>
        mayInvolve(event, accounts) ? logsOfMatch(event, nth).map((log) => ({ block, log })) : [],
      );
    },
    byHash(hash, head) {
      for (let number = head; number > Math.max(0, head - HASH_REACH); number -= 1) {
        const canonical = reorgOf(number, head);
        if (hashOfBlock(number, canonical) === hash) return block(number, head);
        const replaced = replacedVariants(number, canonical).find((reorg) => hashOfBlock(number, reorg) === hash);
        // A replaced block stood on the replaced one below it.
        if (replaced !== undefined)
          return build(number, replaced, replacedVariants(number - 1, replaced).at(-1) ?? null);
      }
      return null;
    },
    reorg(depth, head) {
      const from = head - depth + 1;
      const numbers = Array.from({ length: depth }, (_, nth) => from + nth);
      const gone = numbers.map((number) => block(number, head));
      requested.push({ from, to: head, variant: 2 + requested.length });
      return { gone, came: numbers.map((number) => block(number, head)) };
    },
  };
}

import { LRUCache } from 'lru-cache';
import { hashOf, hexOf, STREAM } from '../../world/hash.ts';
import { accountChances } from '../../world/matches.ts';
import { ORIGIN_MS } from '../../world/time.ts';
import type { MatchEvent, World } from '../../world/world.ts';
import { BLOCK_MS, blockTime } from './blocks.ts';
import { createMarketAgenda, type MarketTransaction } from './market-agenda.ts';
import type { MarketBoard } from './market-board.ts';
import { type LogBody, matchLogs, transactionHash } from './match-logs.ts';

/** Number of later blocks after which a block is final. */
export const FINALITY_BLOCKS = 64;

/** A log with its position in the chain. */
export interface ChainLog extends LogBody {
  readonly transactionHash: string;
  readonly transactionIndex: number;
  readonly logIndex: number;
}

/** A log with the fields of its block that a log includes. */
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

/** A replacement of the blocks `from` to `to` (both inclusive). */
export interface Reorg {
  readonly from: number;
  readonly to: number;
  /** Distinguishes the replacements of one block; the original blocks are variant 0. */
  readonly variant: number;
}

export interface Chain {
  /** Number of the newest block at a time. */
  headAt(atMs: number): number;
  /** The canonical block with this number as of a head. */
  block(number: number, head: number): Block;
  /** Logs of matches in the canonical block that can involve these accounts (lower case); may include others. */
  logsInvolving(number: number, head: number, accounts: ReadonlySet<string>): readonly PlacedLog[];
  /** The block with a hash, canonical or replaced, among the newest ones below a head. */
  byHash(hash: string, head: number): Block | null;
  /** Replaces the newest `depth` blocks up to the head. Returns the removed and the added blocks. */
  reorg(depth: number, head: number): { readonly removed: readonly Block[]; readonly added: readonly Block[] };
  /** The spontaneous reorganization that happens when this block appears; null if there is none. */
  spontaneousReorgAt(head: number): Reorg | null;
}

/**
 * Log indices reserved for each match: more than it has logs, so that indices follow without computing earlier matches.
 * On a real chain there are logs of other contracts in between, too.
 */
const INDICES_PER_MATCH = 32;

/** Spontaneous reorganizations: one in every period of this many blocks. */
const REORG_TERM = 60;
const MAX_REORG_DEPTH = 5;
/** Number of blocks below the head that can be found by hash. */
const HASH_REACH = 5_000;
/** Total number of logs in the cache, of which each takes about 2 KB: several blocks at 5,000 events a second. */
const CACHED_LOGS = 10_000;

/** Separates the hash of a market's transaction from that of a match with the same number. */
const MARKET_SALT = 1_000_000;

/** Effect on a match's transaction when its block is replaced. */
type ReorgEffect = 'stays' | 'moves' | 'dropped';

export function createChain(
  world: World,
  board: MarketBoard,
  settings: { readonly spontaneousReorgs: boolean },
): Chain {
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
  /** The newest reorganization that replaced this block, as of a head. */
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
  /** Transactions of markets are never dropped in a reorganization: their senders resend them. */
  const isMoved = ({ key }: MarketTransaction, { variant }: Reorg) =>
    hashOf(seed, STREAM.fate, key, variant + MARKET_SALT) % 2 === 0;
  const marketTransactionsIn = (number: number, reorg: Reorg | null): readonly MarketTransaction[] => {
    const planned = agenda.in(number);
    if (!reorg) return planned;
    const own = planned.filter((act) => number === reorg.to || !isMoved(act, reorg));
    if (number === reorg.from) return own;
    return [...agenda.in(number - 1).filter((act) => isMoved(act, reorg)), ...own];
  };

  /** Earlier variants of a block, oldest first; null is the original block. */
  const replacedVariants = (number: number, canonical: Reorg | null): (Reorg | null)[] => {
    if (!canonical) return [];
    const earlier = requested.filter(
      (reorg) => number >= reorg.from && number <= reorg.to && reorg.variant < canonical.variant,
    );
    const spontaneous = spontaneousReorgIn(Math.floor(number / REORG_TERM));
    const wasReplaced =
      settings.spontaneousReorgs && canonical.variant > 1 && number >= spontaneous.from && number <= spontaneous.to;
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
  /** True if one of the accounts may have an order in the match. The actual makers depend on the book. */
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
        // The parent of a replaced block is the replaced block below it.
        if (replaced !== undefined)
          return build(number, replaced, replacedVariants(number - 1, replaced).at(-1) ?? null);
      }
      return null;
    },
    reorg(depth, head) {
      const from = head - depth + 1;
      const numbers = Array.from({ length: depth }, (_, nth) => from + nth);
      const removed = numbers.map((number) => block(number, head));
      requested.push({ from, to: head, variant: 2 + requested.length });
      return { removed, added: numbers.map((number) => block(number, head)) };
    },
  };
}

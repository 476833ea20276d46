import { LRUCache } from 'lru-cache';
import { accountTopic } from '#schemas/venues/venue-b/oracle-logs';
import { hashOf, hexOf, STREAM } from '../../world/hash.ts';
import type { Match } from '../../world/matches.ts';
import type { Question } from '../../world/questions.ts';
import { ORIGIN_MS } from '../../world/time.ts';
import type { MatchEvent, World } from '../../world/world.ts';
import { BLOCK_MS, blockHolding, blockTime } from './blocks.ts';
import { createBlocksOfAccounts } from './blocks-of-accounts.ts';
import { createFlowAgenda, flowLog } from './collateral-flows.ts';
import { createMarketAgenda, type MarketTransaction } from './market-agenda.ts';
import type { MarketBoard } from './market-board.ts';
import { type LogBody, matchLogs, transactionHash } from './match-logs.ts';
import { type MatchOrder, matchOrders, mayHaveOrder, takerOf } from './match-orders.ts';
import { moveLogs } from './position-logs.ts';
import { MERGE_AFTER_BLOCKS, mergesOf, moveTransactionHash, type PositionMove, splitsOf } from './position-moves.ts';

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
  /** Logs in the canonical block of matches, moves and flows that name one of these accounts (lower case). */
  logsInvolving(number: number, head: number, accounts: ReadonlySet<string>): readonly PlacedLog[];
  /** Logs in the canonical block of the matches of which one of these accounts (lower case) is the taker. */
  logsOfTakers(number: number, head: number, accounts: ReadonlySet<string>): readonly PlacedLog[];
  /** Logs in the canonical block of the splits and merges of which at least one went through an adapter. */
  logsOfAdapters(number: number, head: number): readonly PlacedLog[];
  /** Logs in the canonical block that list, resolve or redeem markets. */
  logsOfMarkets(number: number, head: number): readonly PlacedLog[];
  /** True if a reorganization dropped the match, as of a head. */
  isDropped(match: MatchEvent, head: number): boolean;
  /** The block with a hash, canonical or replaced, among the newest ones below a head. */
  byHash(hash: string, head: number): Block | null;
  /** Replaces the newest `depth` blocks up to the head. Returns the removed and the added blocks. */
  reorg(depth: number, head: number): { readonly removed: readonly Block[]; readonly added: readonly Block[] };
  /** The spontaneous reorganization that happens when this block appears; null if there is none. */
  spontaneousReorgAt(head: number): Reorg | null;
}

/**
 * Log indices reserved for each transaction: more than it has logs, so that indices follow without computing earlier ones.
 * On a real chain there are logs of other contracts in between, too.
 */
const INDICES_PER_TRANSACTION = 64;
/** Places reserved for a match: its splits, then itself. Without splits the first one is empty. */
const PLACES_PER_MATCH = 2;

/** Spontaneous reorganizations: one in every period of this many blocks. */
const REORG_TERM = 60;
const MAX_REORG_DEPTH = 5;
/** Number of blocks below the head that can be found by hash. */
const HASH_REACH = 5_000;
/** Total number of logs in the cache, of which each takes about 2 KB: several blocks at 5,000 events a second. */
const CACHED_LOGS = 10_000;

/** Blocks of which the logs of one account are in the cache: most have none. */
const CACHED_SEARCHES = 20_000;

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
  const flows = createFlowAgenda(world);
  const blocksOf = createBlocksOfAccounts(world);
  const involving = new LRUCache<string, readonly PlacedLog[]>({ max: CACHED_SEARCHES });
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
  const isDropped = (match: MatchEvent, number: number, head: number): boolean => {
    const reorg = reorgOf(number, head);
    return reorg !== null && reorgEffectOf(match, reorg) === 'dropped';
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

  const placeOf = (number: number, reorg: Reorg | null): PlacedLog['block'] => ({
    number,
    hash: hashOfBlock(number, reorg),
    timestamp: blockTime(number) / 1000,
  });

  const placed = (transactionHash: string, nth: number, bodies: readonly LogBody[]): ChainLog[] =>
    bodies.map((body, at) => ({
      ...body,
      transactionHash,
      transactionIndex: nth,
      logIndex: nth * INDICES_PER_TRANSACTION + at,
    }));
  const ordersOf = (event: MatchEvent): { match: Match; question: Question; orders: MatchOrder[] } => {
    const match = world.matchOf(event);
    return { match, question: world.venueB.liveIn(match.slot, match.timeMs), orders: matchOrders(world, match) };
  };
  /** Logs of the splits before the `nth` match of a block, and of the match. */
  const logsOfMatch = (event: MatchEvent, nth: number): ChainLog[][] => {
    const { match, question, orders } = ordersOf(event);
    const ids = world.idsOf(question);
    const place = nth * PLACES_PER_MATCH;
    return [
      placed(moveTransactionHash(world, match, 'split'), place, moveLogs(ids, splitsOf(world, match, orders))),
      placed(transactionHash(world, match), place + 1, matchLogs(world, ids, match, orders)),
    ];
  };
  /** Logs of the merges that follow an earlier match. */
  const logsOfMerges = (event: MatchEvent, place: number): ChainLog[] => logsOfMoves(event, 'merge', place);
  /** Logs of the splits before a match, or of the merges after it; none if no move is one of those that are wanted. */
  const logsOfMoves = (
    event: MatchEvent,
    kind: PositionMove['kind'],
    place: number,
    isWanted: (move: PositionMove) => boolean = () => true,
  ): ChainLog[] => {
    const { match, question, orders } = ordersOf(event);
    const moves = kind === 'split' ? splitsOf(world, match, orders) : mergesOf(world, question, match, orders);
    if (!moves.some(isWanted)) return [];
    return placed(moveTransactionHash(world, match, kind), place, moveLogs(world.idsOf(question), moves));
  };
  /** Matches of which a block contains the merges. They are canonical by then. */
  const mergedIn = (number: number): readonly MatchEvent[] => {
    const earlier = number - MERGE_AFTER_BLOCKS;
    return matchesIn(earlier).filter((match) => !isDropped(match, earlier, number));
  };

  const build = (number: number, reorg: Reorg | null, parent: Reorg | null): Block => {
    const transactions: string[] = [];
    const logs: ChainLog[] = [];
    const include = (placed: readonly ChainLog[]) => {
      if (placed.length === 0) return;
      transactions.push(placed[0]!.transactionHash);
      logs.push(...placed);
    };
    const matches = matchesOf(number, reorg);
    for (const [nth, match] of matches.entries()) for (const logs of logsOfMatch(match, nth)) include(logs);
    let place = matches.length * PLACES_PER_MATCH;
    for (const match of mergedIn(number)) {
      include(logsOfMerges(match, place));
      place += 1;
    }
    // Deposits and withdrawals stay in their block when it is replaced.
    for (const flow of flows.in(number)) {
      include(placed(flow.transactionHash, place, [flowLog(flow)]));
      place += 1;
    }
    for (const { hash, logs: bodies } of marketTransactionsIn(number, reorg)) {
      include(placed(hash, place, bodies));
      place += 1;
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

  const findInvolving = (number: number, reorg: Reorg | null, accounts: ReadonlySet<string>): readonly PlacedLog[] => {
    const earlier = number - MERGE_AFTER_BLOCKS;
    // A replaced block can contain matches of the one before.
    const ownBlocks = reorg ? [number, number - 1, earlier] : [number, earlier];
    const mayTrade = ownBlocks.some((one) => blocksOf.mayTradeIn(one, accounts));
    if (!mayTrade && !flows.in(number).some(({ account }) => accounts.has(account))) return [];
    const block = placeOf(number, reorg);
    const matches = matchesOf(number, reorg);
    const ofMatches = matches.flatMap((event, nth) =>
      mayHaveOrder(world, event, accounts) ? logsOfMatch(event, nth).flat() : [],
    );
    const merged = mergedIn(number);
    const place = matches.length * PLACES_PER_MATCH;
    const ofMerges = merged.flatMap((event, nth) =>
      mayHaveOrder(world, event, accounts) ? logsOfMerges(event, place + nth) : [],
    );
    const ofFlows = flows
      .in(number)
      .flatMap((flow, nth) =>
        accounts.has(flow.account) ? placed(flow.transactionHash, place + merged.length + nth, [flowLog(flow)]) : [],
      );
    const topics = new Set([...accounts].map(accountTopic));
    return [...ofMatches, ...ofMerges, ...ofFlows]
      .filter((log) => log.topics.some((topic) => topics.has(topic)))
      .map((log) => ({ block, log }));
  };

  return {
    headAt: (atMs) => Math.floor((atMs - ORIGIN_MS) / BLOCK_MS),
    block,
    spontaneousReorgAt: spontaneousReorgAt,
    logsInvolving(number, head, accounts) {
      const reorg = reorgOf(number, head);
      if (accounts.size !== 1) return findInvolving(number, reorg, accounts);
      // A search for an account is often repeated for each position of the topics.
      const [account] = accounts;
      const key = `${account} ${number} ${reorg?.variant ?? 0}`;
      const known = involving.get(key) ?? findInvolving(number, reorg, accounts);
      involving.set(key, known);
      return known;
    },
    logsOfTakers(number, head, accounts) {
      const reorg = reorgOf(number, head);
      const block = placeOf(number, reorg);
      return matchesOf(number, reorg)
        .flatMap((event, nth) => (accounts.has(takerOf(world, event)) ? logsOfMatch(event, nth)[1]! : []))
        .map((log) => ({ block, log }));
    },
    logsOfAdapters(number, head) {
      const reorg = reorgOf(number, head);
      const block = placeOf(number, reorg);
      const matches = matchesOf(number, reorg);
      const isWanted = ({ adapter }: PositionMove) => adapter !== null;
      const after = matches.length * PLACES_PER_MATCH;
      return [
        ...matches.flatMap((event, nth) => logsOfMoves(event, 'split', nth * PLACES_PER_MATCH, isWanted)),
        ...mergedIn(number).flatMap((event, nth) => logsOfMoves(event, 'merge', after + nth, isWanted)),
      ].map((log) => ({ block, log }));
    },
    logsOfMarkets(number, head) {
      const reorg = reorgOf(number, head);
      const transactions = marketTransactionsIn(number, reorg);
      if (transactions.length === 0) return [];
      const block = placeOf(number, reorg);
      const place =
        matchesOf(number, reorg).length * PLACES_PER_MATCH + mergedIn(number).length + flows.in(number).length;
      return transactions
        .flatMap(({ hash, logs }, nth) => placed(hash, place + nth, logs))
        .map((log) => ({ block, log }));
    },
    isDropped: (match, head) => isDropped(match, blockHolding(world.schedule.timeOf(match.event)), head),
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

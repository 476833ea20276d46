/**
 * Trades from before the chain was followed, found by a backfill. Each is emitted once, to `backfilledTradeTopic`, with
 * the time of its block. Every block from the first header on is followed, so its trades come from the live logs.
 */
import type { Emit } from '#infra/stages/stage';
import { backfilledTradeTopic, type Trade } from '#schemas/topics/normalised';
import { dropOldest } from '../../../shared/drop-oldest.ts';
import type { Header } from './chain-message.ts';
import {
  addUnassigned,
  assignTradeMarket,
  createEmittedTrades,
  type EmittedTrades,
  updateTradeStatus,
} from './emitted-trades.ts';

/** Newest backfilled trades whose ids are stored. An older one found again is emitted again, with the same row. */
const BACKFILLED_IDS_MAX = 50_000;

export interface BackfilledTrades {
  /** Number of the first followed block; null before any header. */
  followedFrom: number | null;
  /** Parent of the first followed block; null if its header was not seen. */
  parentHash: string | null;
  /** Block hash of each emitted trade by id, oldest first. */
  readonly blockHashes: Map<string, string>;
  /** The trades that are not confirmed yet (`known`), and those whose token is unknown. */
  readonly trades: EmittedTrades;
}

export function createBackfilledTrades(): BackfilledTrades {
  return { followedFrom: null, parentHash: null, blockHashes: new Map(), trades: createEmittedTrades() };
}

/** True if the chain is followed at this block, so that its trades come from the live logs. */
export function isFollowed(backfilled: BackfilledTrades, number: number): boolean {
  return backfilled.followedFrom !== null && number >= backfilled.followedFrom;
}

/** Lowers the first followed block to the one that a backfill states; the stage may not have seen its header. */
export function lowerFollowedFrom(backfilled: BackfilledTrades, number: number): void {
  if (backfilled.followedFrom !== null && backfilled.followedFrom <= number) return;
  backfilled.followedFrom = number;
  backfilled.parentHash = null;
}

/**
 * Tracks the first followed block. A header that replaces it on another parent means that the chain below was
 * reorganized in an unknown way: backfilled trades that are not confirmed are reverted, and a repeated backfill finds
 * those that remain.
 */
export function trackFirstHeader(backfilled: BackfilledTrades, { number, parentHash }: Header, emit: Emit): void {
  if (backfilled.followedFrom !== null && number > backfilled.followedFrom) return;
  const isReplaced =
    backfilled.followedFrom !== null && (number < backfilled.followedFrom || backfilled.parentHash !== parentHash);
  if (isReplaced && backfilled.parentHash !== null) {
    for (const { id, blockHash } of [...backfilled.trades.known.values()]) {
      updateTradeStatus(backfilled.trades, id, blockHash!, 'reverted', emit, backfilledTradeTopic);
      backfilled.blockHashes.delete(id);
    }
  }
  backfilled.followedFrom = number;
  backfilled.parentHash = parentHash;
}

/** Emits a backfilled trade, unless it was emitted already. */
export function emitBackfilled(backfilled: BackfilledTrades, trade: Trade, emit: Emit): void {
  const { id, blockHash } = trade;
  const before = backfilled.blockHashes.get(id);
  if (before === blockHash) return;
  // The chain was reorganized between two backfills.
  if (before !== undefined) updateTradeStatus(backfilled.trades, id, before, 'reverted', emit, backfilledTradeTopic);
  backfilled.blockHashes.delete(id);
  backfilled.blockHashes.set(id, blockHash!);
  if (trade.status === 'pending') backfilled.trades.known.set(id, trade);
  if (trade.marketId === null) addUnassigned(backfilled.trades, trade);
  emit(backfilledTradeTopic, trade.instrument, trade);
  dropOldest(backfilled.blockHashes, BACKFILLED_IDS_MAX);
}

/** Emits backfilled trades again, as confirmed, once their blocks are deep enough. */
export function confirmBackfilled(
  backfilled: BackfilledTrades,
  isConfirmed: (number: number) => boolean,
  emit: Emit,
): void {
  for (const { id, blockNumber, blockHash } of [...backfilled.trades.known.values()]) {
    if (!isConfirmed(blockNumber!)) continue;
    updateTradeStatus(backfilled.trades, id, blockHash!, 'confirmed', emit, backfilledTradeTopic);
    backfilled.trades.known.delete(id);
  }
}

/** Emits the backfilled trades of a token again, now that its market is known. */
export function assignBackfilledMarket(
  backfilled: BackfilledTrades,
  token: string,
  marketId: string,
  outcome: string | null,
  emit: Emit,
): void {
  assignTradeMarket(backfilled.trades, token, marketId, outcome, emit, backfilledTradeTopic);
}

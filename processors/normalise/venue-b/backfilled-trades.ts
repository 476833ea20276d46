/**
 * Fills from before the chain was followed, which a backfill found: each is told once, as history (`lateTradeTopic`),
 * with the time of its block. Every block from the first header on is followed, so its trades are told by that.
 */
import type { Emit } from '#infra/stages/stage';
import { lateTradeTopic, type Trade } from '#schemas/topics/normalised';
import { dropOldest } from '../../shared/drop-oldest.ts';
import type { Header } from './chain-message.ts';
import { createToldTrades, keepUnplaced, placeTrades, retellStatus, type ToldTrades } from './told-trades.ts';

/** Late trades that are remembered by id, the newest ones. One beyond them is told again with the same row. */
export const LATE_IDS_MAX = 50_000;

export interface LateFills {
  /** Number of the first followed block; null before any header. */
  followedFrom: number | null;
  /** Parent of the first followed block, where its header was seen; null otherwise. */
  parentHash: string | null;
  /** Block hash of each told trade by id, oldest first. */
  readonly blockHashes: Map<string, string>;
  /** Those not confirmed yet (`known`), and those whose token is unknown. */
  readonly told: ToldTrades;
}

export function createLateFills(): LateFills {
  return { followedFrom: null, parentHash: null, blockHashes: new Map(), told: createToldTrades() };
}

/** Whether the chain is followed at this block, so that its trades are told as they come. */
export function isFollowed(late: LateFills, number: number): boolean {
  return late.followedFrom !== null && number >= late.followedFrom;
}

/** Takes what a backfill says of where the chain begins to be followed; a state from before it was kept learns it here. */
export function learnFollowedFrom(late: LateFills, number: number): void {
  if (late.followedFrom !== null && late.followedFrom <= number) return;
  late.followedFrom = number;
  late.parentHash = null;
}

/**
 * Takes a header. Where it replaces the first followed block on another parent, the chain below was reorganised and
 * nothing tells how: late trades that are not confirmed are taken back, and a repeated backfill finds what is left.
 */
export function followHeader(late: LateFills, { number, parentHash }: Header, emit: Emit): void {
  if (late.followedFrom !== null && number > late.followedFrom) return;
  const isOther = late.followedFrom !== null && (number < late.followedFrom || late.parentHash !== parentHash);
  if (isOther && late.parentHash !== null) {
    for (const { id, blockHash } of [...late.told.known.values()]) {
      retellStatus(late.told, id, blockHash!, 'reverted', emit, lateTradeTopic);
      late.blockHashes.delete(id);
    }
  }
  late.followedFrom = number;
  late.parentHash = parentHash;
}

/** Tells a late trade, unless it is told already. */
export function tellLate(late: LateFills, trade: Trade, emit: Emit): void {
  const { id, blockHash } = trade;
  const before = late.blockHashes.get(id);
  if (before === blockHash) return;
  // The chain was reorganised between two backfills.
  if (before !== undefined) retellStatus(late.told, id, before, 'reverted', emit, lateTradeTopic);
  late.blockHashes.delete(id);
  late.blockHashes.set(id, blockHash!);
  if (trade.status === 'pending') late.told.known.set(id, trade);
  if (trade.marketId === null) keepUnplaced(late.told, trade);
  emit(lateTradeTopic, trade.instrument, trade);
  dropOldest(late.blockHashes, LATE_IDS_MAX);
}

/** Tells the late trades again whose blocks are deep enough now. */
export function confirmLate(late: LateFills, isConfirmed: (number: number) => boolean, emit: Emit): void {
  for (const { id, blockNumber, blockHash } of [...late.told.known.values()]) {
    if (!isConfirmed(blockNumber!)) continue;
    retellStatus(late.told, id, blockHash!, 'confirmed', emit, lateTradeTopic);
    late.told.known.delete(id);
  }
}

/** Tells the late trades of a token again, now that its market is known. */
export function placeLate(late: LateFills, token: string, marketId: string, outcome: string | null, emit: Emit): void {
  placeTrades(late.told, token, marketId, outcome, emit, lateTradeTopic);
}

/** The logs about positions of the transaction that is being received. What they mean shows when all of them are there. */
import type { Emit } from '#infra/stages/stage';
import { decimalFromUnits, formatDecimal } from '#schemas/domain/decimal';
import type { PositionMove } from '#schemas/topics/normalised';
import type { CatalogState } from './catalog-state.ts';
import type { ChainLog, Header } from './chain-message.ts';
import { blockOfLog, type ChainBlock } from './chain-view.ts';
import { emitMove } from './emitted-moves.ts';
import { decodePositionLog, type PositionLog } from './position-logs.ts';
import { type FoundMove, movesOf } from './position-moves.ts';
import type { VenueBState } from './state.ts';
import { tradeId } from './trade-of-leg.ts';

/** Outcome tokens have six decimals. */
const AMOUNT_DECIMALS = 6;

/** Adds a log of a stored block. Throws `MalformedError`. */
export function addPositionLog(state: VenueBState, log: ChainLog, receivedAt: number): void {
  const { transactionHash, blockNumber, blockHash, logIndex } = log;
  const decoded = decodePositionLog(log);
  if (!decoded) return;
  blockOfLog(state.chain, log);
  state.openMoves ??= { transactionHash, blockNumber, blockHash, receivedAt, logs: new Map() };
  state.openMoves.receivedAt = receivedAt;
  state.openMoves.logs.set(logIndex, decoded);
}

/** Removes a log that the node reverts. */
export function removePositionLog({ openMoves }: VenueBState, log: ChainLog): void {
  if (openMoves?.blockHash === log.blockHash && openMoves.transactionHash === log.transactionHash)
    openMoves.logs.delete(log.logIndex);
}

/** Emits the moves of the open transaction and closes it. Returns those that await confirmation; null if there are none. */
export function takeOpenMoves(
  state: VenueBState,
  exchanges: ReadonlySet<string>,
  emit: Emit,
): { readonly block: ChainBlock; readonly ids: readonly string[] } | null {
  const open = state.openMoves;
  if (!open) return null;
  state.openMoves = null;
  const block = state.chain.blocks.get(open.blockNumber);
  if (block?.hash !== open.blockHash) return null;
  const { moves, faults } = movesOf(inOrder(open.logs.values()), exchanges);
  for (const { code, message } of faults) emit.deadLetter(code, `transaction ${open.transactionHash}: ${message}`);
  const ids: string[] = [];
  for (const found of moves) {
    const move = moveRecord(found, open.transactionHash, block, open.receivedAt, state.catalog);
    if (!emitMove(state.moves, move, emit)) continue;
    block.moveIds.push(move.id);
    ids.push(move.id);
  }
  return ids.length > 0 ? { block, ids } : null;
}

export function inOrder(logs: Iterable<PositionLog>): PositionLog[] {
  return [...logs].sort((a, b) => a.logIndex - b.logIndex);
}

/** Builds the record of a move, without the fields that emitting adds. */
export function moveRecord(
  { kind, logIndex, account, marketIds, received, units }: FoundMove,
  txHash: string,
  block: Pick<Header, 'number' | 'hash' | 'timestampMs'>,
  receivedAt: number,
  { tokens }: Pick<CatalogState, 'tokens'>,
): Omit<PositionMove, 'arrival' | 'status'> {
  return {
    id: tradeId(txHash, logIndex),
    account,
    kind,
    marketIds: [...marketIds],
    received: received.map((instrument) => ({ instrument, marketId: tokens.get(instrument)?.marketId ?? null })),
    qty: formatDecimal(decimalFromUnits(units, AMOUNT_DECIMALS)),
    ts: block.timestampMs,
    receivedAt,
    txHash,
    logIndex,
    blockNumber: block.number,
    blockHash: block.hash,
  };
}

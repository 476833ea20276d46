/** Position moves that were emitted and may be emitted again, because their block is confirmed or dropped. */
import type { Emit } from '#infra/stages/stage';
import { type PositionMove, positionMoveTopic } from '#schemas/topics/normalised';

export interface EmittedMoves {
  /** Moves of the stored blocks, by id. */
  readonly known: Map<string, PositionMove>;
  /** Number of moves emitted so far: the `arrival` of the newest. */
  arrivals: number;
}

export function createEmittedMoves(): EmittedMoves {
  return { known: new Map(), arrivals: 0 };
}

/** Emits a move for the first time, or for the first time since it was reverted. Returns false for a repeated log. */
export function emitMove(moves: EmittedMoves, move: Omit<PositionMove, 'arrival' | 'status'>, emit: Emit): boolean {
  const before = moves.known.get(move.id);
  if (before?.blockHash === move.blockHash) return false;
  // The same log in another block: the chain was reorganized without a header that showed it, as in a gap.
  if (before) updateMoveStatus(moves, move.id, before.blockHash, 'reverted', emit);
  moves.arrivals += 1;
  const full: PositionMove = { ...move, arrival: moves.arrivals, status: 'pending' };
  moves.known.set(move.id, full);
  emit(positionMoveTopic, full.account, full);
  return true;
}

/** Emits the move of a block again with another status; does nothing if the move is in another block by now. */
export function updateMoveStatus(
  moves: EmittedMoves,
  id: string,
  blockHash: string,
  status: 'confirmed' | 'reverted',
  emit: Emit,
): void {
  const move = moves.known.get(id);
  if (move?.blockHash !== blockHash || move.status === status) return;
  const next = { ...move, status };
  if (status === 'reverted') moves.known.delete(id);
  else moves.known.set(id, next);
  emit(positionMoveTopic, next.account, next);
}

/** Logs of splits and merges, and of the tokens that an adapter sends and receives (venue page, section 8). */
import { encodeTokenAction, encodeTokenTransfer } from '#schemas/venues/venue-b/position-logs';
import type { QuestionIds } from '../../world/question-ids.ts';
import type { LogBody } from './match-logs.ts';
import type { PositionMove } from './position-moves.ts';

/** Logs of moves in order. An adapter receives the tokens before it merges, and sends them after it split. */
export function moveLogs({ conditionId, tokenIds }: QuestionIds, moves: readonly PositionMove[]): LogBody[] {
  return moves.flatMap(({ kind, account, adapter, units: amount }) => {
    const units = BigInt(amount);
    const action = encodeTokenAction(kind, { stakeholder: adapter ?? account, conditionId, units });
    if (adapter === null) return [action];
    const [from, to] = kind === 'split' ? [adapter, account] : [account, adapter];
    const items = tokenIds.map((token) => ({ token, units }));
    const transfer = encodeTokenTransfer({ operator: adapter, from, to }, items);
    return kind === 'split' ? [action, transfer] : [transfer, action];
  });
}

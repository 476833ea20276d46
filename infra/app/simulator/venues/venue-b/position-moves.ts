/**
 * Splits and merges of accounts. Whoever sells tokens has split twice as much collateral just before, so that an account
 * never owns less than nothing, whatever else it traded. Half of them later merge what the sale left of both tokens. So all
 * moves follow from the matches alone.
 */
import { COLLATERAL_ADAPTERS } from '#schemas/venues/venue-b/contracts';
import { hashOf, hexOf, STREAM } from '../../world/hash.ts';
import type { Match } from '../../world/matches.ts';
import type { Question } from '../../world/questions.ts';
import type { World } from '../../world/world.ts';
import { blockHolding, blockTime } from './blocks.ts';
import type { MatchOrder } from './match-orders.ts';

/** Blocks between a sale and the merge of what it left: more than the deepest reorganization. */
export const MERGE_AFTER_BLOCKS = 90;

/** Collateral that became as many tokens of both sides, or the reverse. */
export interface PositionMove {
  readonly kind: 'split' | 'merge';
  readonly account: string;
  /** Contract through which the account did it; null if it used the token contract itself. */
  readonly adapter: string | null;
  /** Millionths. */
  readonly units: number;
}

/** Splits before a match, one for each order that sells. */
export function splitsOf(world: World, match: Match, orders: readonly MatchOrder[]): PositionMove[] {
  return orders.flatMap((order, nth) =>
    order.isBuy ? [] : [moveOf('split', order, drawOf(world, match, nth), 2 * order.quantity)],
  );
}

/** Merges after a match: none if the question expires before. */
export function mergesOf(
  world: World,
  { expiresAtMs }: Question,
  match: Match,
  orders: readonly MatchOrder[],
): PositionMove[] {
  if (blockTime(blockHolding(match.timeMs) + MERGE_AFTER_BLOCKS) >= expiresAtMs) return [];
  return orders.flatMap((order, nth) => {
    const draw = drawOf(world, match, nth);
    return order.isBuy || draw % 2 === 0 ? [] : [moveOf('merge', order, draw, order.quantity)];
  });
}

/** Hashes of the transactions with the splits before a match and the merges after it. */
export function moveTransactionHash(world: World, { event }: Pick<Match, 'event'>, kind: PositionMove['kind']): string {
  return hexOf(world.settings.seed, STREAM.hex, event, kind === 'split' ? 12 : 13, 32);
}

const drawOf = (world: World, { event }: Match, nth: number) => hashOf(world.settings.seed, STREAM.move, event, nth);

/** A quarter of the moves go through the venue's adapter. */
function moveOf(kind: PositionMove['kind'], { account }: MatchOrder, draw: number, units: number): PositionMove {
  return { kind, account, adapter: (draw >>> 8) % 4 === 0 ? COLLATERAL_ADAPTERS[0] : null, units };
}

import type { Question } from '../world/questions.ts';
import type { World } from '../world/world.ts';
import type { MarketBoard } from './market-board.ts';

/** Matches before the end that are looked through for buyers of the winning side. */
const REACH = 60;

/** An account that redeems, and what it is paid in units of 10^-6 USD. */
export interface Redemption {
  readonly account: string;
  readonly payout: number;
}

/**
 * What the `nth` account to redeem a market does: one of the last that bought the winning side, with what it bought
 * then. An account that bought nothing is paid nothing, as on the venue.
 */
export function redemptionOf(world: World, board: MarketBoard, question: Question, nth: number): Redemption {
  const winner = board.isYes(question) ? 0 : 1;
  const slot = question.slot.index;
  const lane = world.seriesOf('question', slot);
  const last = world.schedule.versionAt(lane, question.expiresAtMs);
  let found = 0;
  for (let version = last; version > last - REACH && version >= 0; version -= 1) {
    if (world.schedule.timeOf(world.schedule.eventOf(lane, version)) < question.listedAtMs) break;
    if (!world.isMatch(slot, version)) continue;
    const match = world.questionUpdate(slot, version).match;
    if (!match?.isTakerBuy || match.token !== winner) continue;
    const shares = match.legs.reduce((sum, { size }) => sum + size, 0);
    if (found === nth) return { account: world.population.account(match.chance), payout: shares * 10_000 };
    found += 1;
  }
  return { account: world.population.account(question.generation * 4 + nth), payout: 0 };
}

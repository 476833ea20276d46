import type { Question } from '../../world/questions.ts';
import type { World } from '../../world/world.ts';
import type { MarketBoard } from './market-board.ts';

/** Number of versions before the end that are searched for buyers of the winning side. */
const REACH = 60;

/** A redeeming account and its payout in units of 10^-6 USD. */
export interface Redemption {
  readonly account: string;
  readonly payout: number;
}

/**
 * The `nth` redemption of a market: one of the last buyers of the winning side redeems what it bought. If there are too
 * few buyers, an account without shares redeems zero, as happens on the venue.
 */
export function redemptionOf(world: World, board: MarketBoard, question: Question, nth: number): Redemption {
  const winner = board.isYes(question) ? 0 : 1;
  const slot = question.slot.index;
  const series = world.seriesOf('question', slot);
  const last = world.schedule.versionAt(series, question.expiresAtMs);
  let found = 0;
  for (let version = last; version > last - REACH && version >= 0; version -= 1) {
    if (world.schedule.timeOf(world.schedule.eventOf(series, version)) < question.listedAtMs) break;
    if (!world.isMatch(slot, version)) continue;
    const match = world.questionUpdate(slot, version).match;
    if (!match?.isTakerBuy || match.token !== winner) continue;
    const shares = match.legs.reduce((sum, { size }) => sum + size, 0);
    if (found === nth) return { account: world.population.account(match.chance), payout: shares * 10_000 };
    found += 1;
  }
  return { account: world.population.account(question.generation * 4 + nth), payout: 0 };
}

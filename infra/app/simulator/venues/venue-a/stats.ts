import type { HostAnswer } from '../../sockets/http-host.ts';
import type { World } from '../../world/world.ts';
import { leaderboardText } from './leaderboard.ts';

/** Answers venue_a's stats host (venue page, section 9): the leaderboard, no vaults and no builder files. */
export function answerStats({ settings, traders }: World, path: string, nowMs: number): HostAnswer {
  if (path === '/Mainnet/leaderboard') return { status: 200, text: leaderboardText(settings.seed, traders, nowMs) };
  if (path === '/Mainnet/vaults') return { status: 200, text: '[]' };
  // The host answers 403 for missing files.
  return { status: 403, text: 'Forbidden' };
}

import type { HostAnswer, HostRequest } from '../../sockets/http-host.ts';
import type { World } from '../../world/world.ts';
import type { Accounts } from './accounts.ts';
import { answerBuilderFile } from './builder-files.ts';
import { leaderboardText } from './leaderboard.ts';

/** Answers venue_a's stats host (venue page, section 9): the leaderboard, no vaults, and the files of builders. */
export function answerStats(
  world: World,
  accounts: Pick<Accounts, 'builderFills'>,
  request: Pick<HostRequest, 'path' | 'ifNoneMatch'>,
  nowMs: number,
): HostAnswer {
  const { settings, traders } = world;
  const { path } = request;
  if (path === '/Mainnet/leaderboard') return { status: 200, text: leaderboardText(settings.seed, traders, nowMs) };
  if (path === '/Mainnet/vaults') return { status: 200, text: '[]' };
  // The host answers 403 for missing files.
  return answerBuilderFile(world, accounts, request, nowMs) ?? { status: 403, text: 'Forbidden' };
}

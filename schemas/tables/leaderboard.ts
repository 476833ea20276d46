import { type LeaderboardRow, leaderboardRowTopic } from '../topics/leaderboard.ts';
import { defineTable } from './table.ts';

/** Days for which a board is stored. */
const LEADERBOARD_RETENTION_DAYS = 30;

/**
 * One row per board and trader. A board may be incomplete, or only on its way into the table, until it has as many rows
 * as its record in `leaderboardTopic` states.
 */
export const leaderboardTable = defineTable<LeaderboardRow>({
  name: 'leaderboard',
  description: `Leaderboards of venue_a; stored for ${LEADERBOARD_RETENTION_DAYS} days.`,
  holds: 'market',
  orderBy: ['capturedAt', 'address'],
  shardBy: ['capturedAt'],
  monthOf: 'capturedAt',
  fromTopics: [leaderboardRowTopic],
  retentionDays: LEADERBOARD_RETENTION_DAYS,
});

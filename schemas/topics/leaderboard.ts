import { decimal, type Infer, integer, nullable, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

/** The windows of the leaderboard: trailing periods that end when it is captured. */
export const LEADERBOARD_WINDOWS = ['day', 'week', 'month', 'allTime'] as const;
export type LeaderboardWindow = (typeof LEADERBOARD_WINDOWS)[number];

const pnl = nullable(decimal('USD gained or lost in the window; null if the venue does not state it.'));
const roi = nullable(
  decimal('Gain as a fraction (0.1 is 10 percent) in the window; null if the venue does not state it.'),
);
const vlm = nullable(decimal('USD traded in the window; null if the venue does not state it.'));

const leaderboardRow = record('LeaderboardRow', 'One trader on one leaderboard of the network.', {
  capturedAt: timestamp('The board: when the fetch of its export ended.'),
  address: text('Address of the trader, lower case.'),
  displayName: nullable(text('The name that the trader chose; null without one.')),
  accountValue: nullable(decimal('Value of the account, USD; null if the venue does not state it.')),
  dayPnl: pnl,
  dayRoi: roi,
  dayVlm: vlm,
  weekPnl: pnl,
  weekRoi: roi,
  weekVlm: vlm,
  monthPnl: pnl,
  monthRoi: roi,
  monthVlm: vlm,
  allTimePnl: pnl,
  allTimeRoi: roi,
  allTimeVlm: vlm,
});
export type LeaderboardRow = Infer<typeof leaderboardRow>;

/**
 * The rows of a board. They mean nothing until a record of `leaderboardTopic` names their board. They are on their way
 * into a table and can be derived again, so the topic holds only those of two days.
 */
export const leaderboardRowTopic = defineTopic({
  name: 'derived.leaderboard-rows.venue_a',
  description: "Rows of venue_a's leaderboards, each trader once on a board.",
  key: 'address',
  partitions: 1,
  retention: { kind: 'hours', hours: 48 },
  schema: leaderboardRow,
});

const leaderboard = record('Leaderboard', 'A complete leaderboard of the network.', {
  capturedAt: timestamp('When the fetch of its export ended; its rows carry the same time.'),
  rows: integer('Its rows.'),
});
export type Leaderboard = Infer<typeof leaderboard>;

/** Published after the last row of a board. The newest boards have a record each; older ones are removed. */
export const leaderboardTopic = defineTopic({
  name: 'derived.leaderboards.venue_a',
  description: 'The newest complete leaderboards of venue_a.',
  key: 'capturedAt',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: leaderboard,
});

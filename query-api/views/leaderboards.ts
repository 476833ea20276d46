/** View of the newest complete leaderboards of venue_a; their rows are in a table. */
import { onKeyed, type Stage } from '#infra/stages/stage';
import { type Leaderboard, leaderboardTopic } from '#schemas/topics/leaderboard';

/** By the time at which they were captured, as text. */
export type LeaderboardsView = Map<string, Leaderboard>;

export const leaderboardsView: Stage<LeaderboardsView> = {
  name: 'view.leaderboards',
  inputs: [
    onKeyed(leaderboardTopic, (view: LeaderboardsView, { key, value }) => {
      if (value) view.set(key, value);
      else view.delete(key);
    }),
  ],
  outputs: [],
  initialState: () => new Map(),
};

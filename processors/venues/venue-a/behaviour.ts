import type { Stage } from '#infra/stages/stage';
import type { VenueBehaviour } from '../venue-behaviour.ts';
import { createBuilderExportsStage } from './builder-exports/stage.ts';
import { createDailyStage } from './daily/stage.ts';
import { createKlinesStage } from './klines/stage.ts';
import { createLeaderboardStage } from './leaderboard/stage.ts';
import { createNodeFillsStage } from './node-fills/stage.ts';
import { createVenueAStage } from './normalise/stage.ts';
import { readOutcomeDescription } from './recognise-description.ts';

export const venueA: VenueBehaviour = {
  createNormaliser: ({ venueAOutcomeTakerFee }) =>
    createVenueAStage({ outcomeTakerFeeRate: venueAOutcomeTakerFee }) as Stage<unknown>,
  createFurtherStages: () => [
    createBuilderExportsStage() as Stage<unknown>,
    createLeaderboardStage() as Stage<unknown>,
    createNodeFillsStage() as Stage<unknown>,
    createKlinesStage() as Stage<unknown>,
    createDailyStage() as Stage<unknown>,
  ],
  conventions: { readFields: readOutcomeDescription },
};

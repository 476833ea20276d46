import type { Stage } from '#infra/stages/stage';
import type { VenueBehaviour } from '../venue-behaviour.ts';
import { createVenueBStage } from './normalise/stage.ts';
import { usualTime } from './usual-time.ts';

export const venueB: VenueBehaviour = {
  createNormaliser: ({ venueBConfirmations }) =>
    createVenueBStage({ confirmations: venueBConfirmations }) as Stage<unknown>,
  conventions: { usualTime },
};

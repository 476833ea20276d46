import type { Settings } from '#infra/config/settings';
import type { Stage } from '#infra/stages/stage';
import { createCandlesStage } from './candles/stage.ts';
import { createChannelsStage } from './channels/stage.ts';
import { createEventsStage } from './events/stage.ts';
import { createVenueAStage } from './normalise/venue-a/stage.ts';
import { createVenueBStage } from './normalise/venue-b/stage.ts';
import { createSpreadsStage } from './spreads/stage.ts';

/** The settings that change what processors compute. A rebuild uses the same ones. */
export type ProcessorSettings = Pick<Settings, 'arbitrageSize' | 'venueAOutcomeTakerFee' | 'venueBConfirmations'>;

/** Every processor, in the order in which data flows: one that reads a topic stands below the one that writes it. */
export function createStages(settings: ProcessorSettings): readonly Stage<unknown>[] {
  return [
    createVenueAStage({ outcomeTakerFeeRate: settings.venueAOutcomeTakerFee }),
    createVenueBStage({ confirmations: settings.venueBConfirmations }),
    createCandlesStage(),
    createEventsStage(),
    createSpreadsStage({ arbitrageSize: settings.arbitrageSize }),
    createChannelsStage(),
  ] as readonly Stage<unknown>[];
}

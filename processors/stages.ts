import type { Settings } from '#infra/config/settings';
import type { TopicStorage } from '#infra/log/log';
import type { Stage } from '#infra/stages/stage';
import { deadTopicsOf, ownTopics } from '#infra/stages/stage-topics';
import type { SettingsChange } from '#schemas/topics/control';
import { createCandlesStage } from './candles/stage.ts';
import { createChannelsStage } from './channels/stage.ts';
import { createEventsStage } from './events/stage.ts';
import { createVenueAStage } from './normalise/venue-a/stage.ts';
import { createVenueBStage } from './normalise/venue-b/stage.ts';
import { createOrganizationsStage } from './organizations/stage.ts';
import { stageOverTime } from './settings/over-time.ts';
import { createSpreadsStage } from './spreads/stage.ts';

/** The settings that change what processors compute, as a process is given them. */
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
    createOrganizationsStage(),
  ] as readonly Stage<unknown>[];
}

/** Every processor over settings that changed on the way, oldest first (`readSettings`, `recordSettings`). */
export function createStagesOverTime(history: readonly SettingsChange[]): readonly Stage<unknown>[] {
  const versions = history.map((settings) => ({ from: settings.receivedAt, stages: createStages(settings) }));
  return (versions[0]?.stages ?? []).map((_, at) =>
    stageOverTime(versions.map(({ from, stages }) => ({ from, stage: stages[at]! }))),
  );
}

/** Every topic that the stages write, with their snapshots and dead letters: what a rebuild drops and makes again. */
export function projectionsOf(stages: readonly Stage<unknown>[]): readonly TopicStorage[] {
  const dead = new Map(stages.flatMap((stage) => deadTopicsOf(stage).map((topic) => [topic.name, topic] as const)));
  return [...stages.flatMap((stage) => ownTopics(stage)), ...dead.values()];
}

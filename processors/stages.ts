import type { Settings } from '#infra/config/settings';
import type { TopicStorage } from '#infra/log/log';
import type { Stage } from '#infra/stages/stage';
import { cutTopic, deadTopicsOf } from '#infra/stages/stage-topics';
import { type SettingsChange, stateTopic } from '#schemas/topics/control';
import { createAnomaliesStage } from './anomalies/stage.ts';
import { createCandlesStage } from './candles/stage.ts';
import { createChannelsStage } from './channels/stage.ts';
import { createEventsStage } from './events/stage.ts';
import { createVenueAStage } from './normalise/venue-a/stage.ts';
import { createVenueBStage } from './normalise/venue-b/stage.ts';
import { createOrganizationsStage } from './organizations/stage.ts';
import { stageOverTime } from './settings/over-time.ts';
import { TABLE_TOPICS } from './sink/table-topics.ts';
import { createSpreadsStage } from './spreads/stage.ts';

/** The settings that change what processors compute, as a process is given them. */
export type ProcessorSettings = Pick<
  Settings,
  'arbitrageSize' | 'venueAOutcomeTakerFee' | 'venueBConfirmations' | 'anomalyZ'
>;

/** Every processor, in the order in which data flows: one that reads a topic stands below the one that writes it. */
export function createStages(settings: ProcessorSettings): readonly Stage<unknown>[] {
  return [
    createVenueAStage({ outcomeTakerFeeRate: settings.venueAOutcomeTakerFee }),
    createVenueBStage({ confirmations: settings.venueBConfirmations }),
    createCandlesStage(),
    createEventsStage(),
    createSpreadsStage({ arbitrageSize: settings.arbitrageSize }),
    createAnomaliesStage({ anomalyZ: settings.anomalyZ }),
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

/**
 * What a rebuild drops and makes again, in the order in which it is dropped: the snapshots of all stages, which say that
 * the rest is there; their outputs, against the order of the data; the dead letters of whatever a stage or the sink reads.
 */
export function projectionsOf(stages: readonly Stage<unknown>[]): readonly TopicStorage[] {
  const snapshots = stages.flatMap(({ name }) => [stateTopic(name), cutTopic(name)]);
  const outputs = stages.flatMap((stage) => stage.outputs).reverse();
  const read = [...stages.flatMap(({ inputs }) => inputs), ...TABLE_TOPICS.values()];
  const dead = new Map(deadTopicsOf({ inputs: read }).map((topic) => [topic.name, topic] as const));
  return [...snapshots, ...outputs, ...dead.values()];
}

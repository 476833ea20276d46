import type { TopicStorage } from '#infra/log/log';
import type { Stage } from '#infra/stages/stage';
import { dailyCheckpointTopic, deadTopicsOf } from '#infra/stages/stage-topics';
import type { RecordedSettings } from '#schemas/domain/recorded-settings';
import { type SettingsChange, stateTopic } from '#schemas/topics/control';
import { createAccountsStage } from './accounts/stage.ts';
import { createAnomaliesStage } from './anomalies/stage.ts';
import { createCandlesStage } from './candles/stage.ts';
import { createChannelsStage } from './channels/stage.ts';
import { createEventsStage } from './events/stage.ts';
import { createLedgersStage } from './ledgers/stage.ts';
import { createOrganizationsStage } from './organizations/stage.ts';
import { createSeriesStage } from './series/stage.ts';
import { stageOverTime } from './settings/over-time.ts';
import { TABLE_TOPICS } from './sink/table-topics.ts';
import { createSpreadsStage } from './spreads/stage.ts';
import { VENUE_BEHAVIOURS } from './venues/index.ts';

/** Creates every processor in the order of data flow: a stage that reads a topic follows the one that writes it. */
export function createStages(settings: RecordedSettings): readonly Stage<unknown>[] {
  return [
    ...Object.values(VENUE_BEHAVIOURS).map(({ createNormaliser }) => createNormaliser(settings)),
    createCandlesStage(),
    ...Object.values(VENUE_BEHAVIOURS).flatMap(({ createFurtherStages }) => createFurtherStages?.() ?? []),
    createEventsStage(),
    createSpreadsStage(settings),
    createAnomaliesStage(settings),
    createLedgersStage(),
    createAccountsStage(),
    createSeriesStage(),
    createChannelsStage(),
    createOrganizationsStage(),
  ] as readonly Stage<unknown>[];
}

/** Creates every processor for settings that changed over time, oldest first (`readSettings`, `recordSettings`). */
export function createStagesOverTime(history: readonly SettingsChange[]): readonly Stage<unknown>[] {
  const versions = history.map((settings) => ({ from: settings.receivedAt, stages: createStages(settings) }));
  return (versions[0]?.stages ?? []).map((_, at) =>
    stageOverTime(versions.map(({ from, stages }) => ({ from, stage: stages[at]! }))),
  );
}

/**
 * Topics that a rebuild drops and derives again, in the order of dropping: the snapshots of all stages first, because
 * they imply that the rest exists; then the outputs, last stage first; then the dead letters of every topic that a
 * stage or the sink reads.
 */
export function projectionsOf(stages: readonly Stage<unknown>[]): readonly TopicStorage[] {
  const snapshots = stages.flatMap(({ name }) => [stateTopic(name), dailyCheckpointTopic(name)]);
  const outputs = stages.flatMap((stage) => stage.outputs).reverse();
  const readTopics = [...stages.flatMap(({ inputs }) => inputs), ...TABLE_TOPICS.values()];
  const deadLetters = new Map(deadTopicsOf({ inputs: readTopics }).map((topic) => [topic.name, topic] as const));
  return [...snapshots, ...outputs, ...deadLetters.values()];
}

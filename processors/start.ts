import type { StartRole } from '#infra/context';
import { ensureEpochs } from '#infra/log/epochs';
import { type RunningStage, runStage } from '#infra/stages/run-stage';
import { channelTopics } from '#schemas/topics/channels';
import { startSink } from './sink/start-sink.ts';
import { createStages } from './stages.ts';

/** Starts every processor and the sink. Ready when each has taken what the log held at the start. */
export const start: StartRole = async (context) => {
  const { log, codec, logger, metrics, health } = context;
  health.expect('processors');
  await ensureEpochs(
    log,
    codec,
    Object.values(channelTopics).map((topic) => topic.name),
  );
  const sink = await startSink(context);
  const stages: RunningStage<unknown>[] = [];
  for (const stage of createStages(context.settings)) {
    stages.push(await runStage({ stage, log, codec, logger, metrics, health }));
  }
  // Not awaited: a stage catches up only once the ingest role has told how far its inputs are promised.
  void Promise.all(stages.map((stage) => stage.caughtUp)).then(() => health.ready('processors'));
  return {
    async close() {
      for (const stage of stages) await stage.close();
      await sink.close();
    },
  };
};

import { ensureEpochs } from '#infra/log/epochs';
import { startUnderLease } from '#infra/log/start-under-lease';
import { closeAll, closeInReverse } from '#infra/runtime/closing';
import type { RoleContext, Running, StartRole } from '#infra/runtime/context';
import { pause } from '#infra/runtime/pause';
import { openPipelineClock, type PipelineClock } from '#infra/stages/pipeline-clock';
import { type RunningStage, runStage } from '#infra/stages/run-stage';
import type { Stage } from '#infra/stages/stage';
import { monitorStages } from '#infra/stages/stage-monitor';
import { ownTopics } from '#infra/stages/stage-topics';
import { channelTopics } from '#schemas/topics/channels';
import { epochTopic, settingsTopic } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';
import { recordSettings } from './settings/recorded-settings.ts';
import { startSink } from './sink/start-sink.ts';
import { createStages, createStagesOverTime } from './stages.ts';

/** The lease of the stages: only its holder runs them, of all processes with this role. */
export const PROCESSORS_LEASE = 'processors';

/**
 * With live data the role is reported as ready after this time even if stages still catch up; their lag is reported
 * instead.
 */
const CATCH_UP_GRACE_MS = 10_000;

/**
 * Starts every processor and the sink. The role is ready when each stage has processed what the log contained at the
 * start, or after `CATCH_UP_GRACE_MS` if live data takes longer, or as a standby while another process runs the stages.
 */
export const start: StartRole = async (context) => {
  context.health.expect('processors');
  const stages = createStages(context.settings);
  // Topics with the stages as their only writers, including snapshots; dead letters have several writers.
  const topics: Topic[] = [epochTopic, settingsTopic, ...stages.flatMap(ownTopics)];
  await context.log.createTopics(topics);
  return startUnderLease({
    context,
    part: 'processors',
    lease: PROCESSORS_LEASE,
    topics: topics.map(({ name }) => name),
    start: () => startAsLeader(context, stages),
  });
};

/**
 * Starts the stages in the one process that holds the lease.
 * @param configured the stages with the settings of this process; those that run also know earlier settings.
 */
async function startAsLeader(context: RoleContext, configured: readonly Stage<unknown>[]): Promise<Running> {
  const { log, codec, logger, metrics, health } = context;
  await ensureEpochs(
    log,
    codec,
    Object.values(channelTopics).map((topic) => topic.name),
  );
  const inputs = configured.flatMap((stage) => stage.inputs.map(({ topic }) => topic));
  const history = await recordSettings(log, codec, context.settings, inputs);
  const stages: RunningStage<unknown>[] = [];
  const onFault = (error: unknown) => {
    logger.error({ error }, 'the lag of stages is no longer monitored');
    health.failed('processors', error);
  };
  const closers: (() => Promise<void>)[] = [];
  const close = () => closeInReverse(closers.splice(0));
  try {
    const sink = await startSink(context);
    closers.push(
      () => sink.close(),
      () => closeAll(stages),
    );
    for (const stage of createStagesOverTime(history)) {
      stages.push(await runStage({ stage, log, codec, logger, metrics, health }));
    }
    const clock = await openPipelineClock(log, onFault);
    const monitor = monitorStages({ stages, clock, log, logger, health, metrics }, onFault);
    closers.push(() => closeAll([monitor, clock]));
    // Not awaited: a stage catches up only after the ingest role has written watermarks to its inputs.
    void reportReady(context, stages, clock);
    return { close };
  } catch (error) {
    // The error of the start is thrown; errors of closing the rest are only logged.
    await close().catch((fault: unknown) => logger.error({ error: fault }, 'failed to close a component'));
    throw error;
  }
}

async function reportReady(
  { health }: RoleContext,
  stages: readonly RunningStage<unknown>[],
  clock: PipelineClock,
): Promise<void> {
  const caughtUp = Promise.all(stages.map((stage) => stage.caughtUp));
  const grace = new AbortController();
  await Promise.race([caughtUp, pause(CATCH_UP_GRACE_MS, grace.signal)]);
  grace.abort();
  if (!clock.isLive()) await caughtUp;
  health.ready('processors');
}

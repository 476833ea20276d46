/**
 * The ingest role. It runs the adapter of every venue (`--venues sim` and `live`) or plays a recording, and copies control
 * commands into the pipeline.
 */

import { startUnderLease } from '#infra/log/start-under-lease';
import { closeAll, closeInReverse } from '#infra/runtime/closing';
import type { RoleContext, Running, StartRole } from '#infra/runtime/context';
import { sequenceChanges } from './control-changes/sequence-changes.ts';
import { playRecording } from './playback/play-recording.ts';
import { openRecordedReads } from './playback/recorded-reads.ts';
import { INGEST_LEASE, LEASED_TOPICS } from './publisher/ingest-topics.ts';
import { openPublisher } from './publisher/open-publisher.ts';
import type { Publisher } from './publisher/publisher.ts';
import { Readiness } from './readiness.ts';
import { startRequestServer } from './requests/request-server.ts';
import { SeriesAttempts } from './series/series-attempts.ts';
import type { RunningAdapter, VenueAdapter } from './venues/adapter.ts';
import { ADAPTERS } from './venues/index.ts';

const RECORDING = 'recording:';

export const start: StartRole = async (context) => {
  const readiness = new Readiness(context.health, context.logger);
  await context.log.createTopics(LEASED_TOPICS);
  const topics = LEASED_TOPICS.map(({ name }) => name);
  return startUnderLease({
    context,
    part: 'ingest',
    lease: INGEST_LEASE,
    topics,
    start: ({ promisedUntil }) => startAsLeader(context, readiness, promisedUntil),
  });
};

/** Starts ingest under its lease: no other process writes its topics. */
async function startAsLeader(context: RoleContext, readiness: Readiness, promisedUntil: number): Promise<Running> {
  const { settings } = context;
  const recording = settings.venues.startsWith(RECORDING) ? settings.venues.slice(RECORDING.length) : null;
  const onFailure = (error: Error) => readiness.fail(error);
  const publisher = await openPublisher({
    ...context,
    time: recording === null ? 'live' : 'recorded',
    promisedUntil,
    onLogStatus: readiness.logStatus,
    onClockBehind: readiness.clockBehind,
    onFailure,
  });
  const closers = [() => publisher.close()];
  try {
    const changes = await sequenceChanges({ ...context, publisher });
    closers.push(() => changes.close());
    const input = await (recording === null
      ? startAdapters(Object.values(ADAPTERS), context, publisher, readiness)
      : startPlayback(recording, context, publisher, readiness, onFailure));
    closers.push(() => input.close());
  } catch (error) {
    await closeInReverse(closers);
    throw error;
  }
  return { close: () => closeInReverse(closers) };
}

async function startAdapters(
  adapters: readonly VenueAdapter[],
  context: RoleContext,
  publisher: Publisher,
  readiness: Readiness,
): Promise<Running> {
  const running: RunningAdapter[] = [];
  // Otherwise ingest would be ready for a while if the first adapters have their data before the last one starts.
  const onStarted = readiness.expect('start of the adapters');
  try {
    const seriesAttempts = await SeriesAttempts.open(context.log, context.codec);
    const shared = { ...context, publisher, seriesAttempts, expect: (part: string) => readiness.expect(part) };
    for (const adapter of adapters) running.push(await adapter.start(shared));
    onStarted();
    const handlers = running.flatMap((adapter) => adapter.handlers ?? []);
    const requests = await startRequestServer({ ...context, handlers });
    // Concurrently: closing an adapter ends what a running request waits for.
    return { close: () => closeAll([requests, ...running]) };
  } catch (error) {
    await closeAll(running);
    throw error;
  }
}

/** Plays the recording in the background; `/health` reports its progress. */
async function startPlayback(
  folder: string,
  context: RoleContext,
  publisher: Publisher,
  readiness: Readiness,
  onFailure: (error: Error) => void,
): Promise<Running> {
  const { health, logger, settings } = context;
  const recorded = await openRecordedReads(context);
  // A recording has no chain node, so no backfill can be served.
  const requests = await startRequestServer({ ...context, handlers: recorded.handlers });
  const closing = new AbortController();
  const onStarted = readiness.expect('first line of the recording');
  health.setExtra('playback', 'running');
  const played = playRecording({
    folder,
    publisher,
    logger,
    speed: Number(settings.speed),
    signal: closing.signal,
    onStarted,
    onPlayed: (at) => health.setExtra('playedUntil', new Date(at).toISOString()),
  }).then(
    ({ lines, ended }) => {
      if (!ended) return;
      health.setExtra('playback', 'ended');
      logger.info({ lines }, 'the recording has ended');
    },
    (error: unknown) => {
      health.setExtra('playback', 'failed');
      onFailure(error instanceof Error ? error : new Error(String(error)));
    },
  );
  return {
    close: async () => {
      closing.abort();
      await played;
      await requests.close();
      await recorded.close();
    },
  };
}

import type { FastifyInstance } from 'fastify';
import { listenFault } from '#infra/config/listen-fault';
import { createAuthenticator } from '#infra/control/authenticator';
import { openControlReplica } from '#infra/control/control-replica';
import { seedAdminKey } from '#infra/control/seed';
import { openNodeReports } from '#infra/nodes/node-reports';
import { openUsageReplica } from '#infra/quota/usage-replica';
import { openRequestClient } from '#infra/requests/request-client';
import { closeInReverse } from '#infra/runtime/closing';
import type { RoleContext, Running } from '#infra/runtime/context';
import { openPipelineClock } from '#infra/stages/pipeline-clock';
import { type RunningStage, runStage } from '#infra/stages/run-stage';
import type { Stage } from '#infra/stages/stage';
import { monitorStages } from '#infra/stages/stage-monitor';
import { fillLoadTopic } from '#schemas/topics/account-fills';
import { candleRangeTopic } from '#schemas/topics/candles';
import { clockTopic } from '#schemas/topics/control';
import { dailyRowTopic } from '#schemas/topics/daily';
import { spreadHeadTopic } from '#schemas/topics/derived';
import { attemptTopic, deliveryTopic } from '#schemas/topics/webhooks';
import { buildApp } from './app.ts';
import { streamUrlFor } from './http/stream-url.ts';
import { readPortalFiles } from './pages/portal-files.ts';
import { measureQueries } from './queries/measure-queries.ts';
import { openTableBarrier } from './queries/table-barrier.ts';
import { openTablePosition } from './queries/table-position.ts';
import { openSandbox } from './sandbox/open-sandbox.ts';
import { createServiceFigures } from './service/service-figures.ts';
import { bookTimeOf, createBookTimesView } from './views/book-times.ts';
import { followedBlocksView, followedTimeAt } from './views/followed-blocks.ts';
import { type Freshness, tablesUntil } from './views/freshness.ts';
import { followedAccounts } from './views/ledgers.ts';
import { createPositionView } from './views/position.ts';
import { openSeriesAttempts } from './views/series-attempts.ts';
import { VIEWS } from './views/views.ts';

const PART = 'query-api';

export interface RunningQueryApi extends Running {
  /** Base URL that it listens on. */
  readonly url: string;
  /** The admin token, if this start generated it; it is stored only as a hash. */
  readonly newAdminToken: string | null;
}

/**
 * Starts the REST API. It listens immediately, so that /health can report the progress of the start. Data routes answer
 * 503 until the views hold everything that the log held at the start; then the role is ready.
 */
export async function start(context: RoleContext): Promise<RunningQueryApi> {
  const { log, codec, logger, metrics, health, settings, store } = context;
  health.expect(PART);
  const onFault = (error: unknown) => {
    logger.error({ error }, 'stopped monitoring the lag of the views');
    health.failed(PART, error);
  };
  const closers: (() => Promise<void>)[] = [];
  const close = () => closeInReverse(closers.splice(0));
  try {
    const control = await openControlReplica(context);
    closers.push(() => control.close());
    const authenticator = createAuthenticator(control);
    const { adminToken, plan, corsOrigins } = settings;
    const stream = { url: settings.streamUrl, port: settings.wsPort };
    const usage = await openUsageReplica({ log, codec, logger, health });
    closers.push(() => usage.close());
    const nodes = await openNodeReports(context);
    closers.push(() => nodes.close());
    const requests = await openRequestClient({ log, codec, logger, health });
    closers.push(() => requests.close());
    const seriesAttempts = await openSeriesAttempts({ log, codec, logger, health });
    closers.push(() => seriesAttempts.close());
    const tables = await openTableBarrier({ log, codec, logger }, [deliveryTopic, attemptTopic]);
    const newAdminToken = await seedAdminKey({ replica: control, authenticator, logger, adminToken, plan });

    const run = async <S>(stage: Stage<S>): Promise<RunningStage<S>> => {
      const running = await runStage({ stage, log, codec, logger, metrics, health, mode: 'view' });
      closers.push(() => running.close());
      return running;
    };
    const [events, coins, books] = [await run(VIEWS.events), await run(VIEWS.coins), await run(VIEWS.books)];
    const questionBooks = await run(VIEWS.questionBooks);
    const [leaderboards, nodeFillCoverage] = [await run(VIEWS.leaderboards), await run(VIEWS.nodeFillCoverage)];
    const [ledgers, accountValues] = [await run(VIEWS.ledgers), await run(VIEWS.accountValues)];
    metrics.accounts.read = () => followedAccounts(ledgers.state, ledgers.positionOf(fillLoadTopic) ?? 0);
    const accountSeries = await run(VIEWS.accountSeries);
    const snapshotHeads = await run(VIEWS.snapshotHeads);
    const positions = [await run(createPositionView('candles', candleRangeTopic))];
    positions.push(await run(createPositionView('daily', dailyRowTopic)));
    const followedBlocks = await run(followedBlocksView);
    const clock = await openPipelineClock(log, onFault);
    closers.push(() => clock.close());
    const bookTimes = await run(
      createBookTimesView(() => (clock.isLive() ? null : events.positionOf(spreadHeadTopic))),
    );
    const newest = [
      events,
      coins,
      books,
      questionBooks,
      leaderboards,
      nodeFillCoverage,
      ledgers,
      accountValues,
      accountSeries,
      snapshotHeads,
    ];
    const views = [...newest, ...positions, bookTimes, followedBlocks];
    const monitor = monitorStages({ stages: views, clock, log, logger, health, metrics }, onFault);
    closers.push(() => monitor.close());
    const freshness: Freshness = {
      now: () => clock.now(events.positionOf(clockTopic)),
      isLive: clock.isLive,
      asOf: (topic) =>
        firstKnown(
          [events, questionBooks, ledgers, accountSeries, followedBlocks, ...positions].map((view) =>
            view.positionOf(topic),
          ),
        ),
      bookAt: (instrument, until) => bookTimeOf(bookTimes.state, instrument, until),
      knowsBooksUntil: (time) => bookTimes.position() >= time,
      tablesAsOf: openTablePosition({ log, logger }),
      followedThrough: async (stage, topics) => {
        const until = await tablesUntil(freshness, stage, topics, null);
        return until === null ? null : followedTimeAt(followedBlocks.state, until);
      },
    };
    const reader = measureQueries(store, { metrics, logger });
    let ready = false;
    const app = await buildApp({
      store: reader,
      tables,
      sandbox: openSandbox(store),
      views: {
        events: events.state,
        coins: coins.state,
        books: books.state,
        questionBooks: questionBooks.state,
        leaderboards: leaderboards.state,
        nodeFillCoverage: nodeFillCoverage.state,
        ledgers: ledgers.state,
        accountValues: accountValues.state,
        accountSeries: accountSeries.state,
        seriesAttempts: seriesAttempts.state,
        snapshotHeads: snapshotHeads.state,
        freshness,
      },
      health,
      control,
      authenticator,
      usage: usage.counts,
      keyUses: usage.keyUses,
      service: createServiceFigures({
        nodes,
        log,
        store,
        reader,
        dataDir: settings.log === 'embedded' ? settings.dataDir : null,
      }),
      requests,
      quotas: settings.quotas,
      targetRules: { allowLoopback: settings.webhookAllowLoopback },
      stream,
      logger,
      metrics,
      corsOrigins,
      portal: settings.portal
        ? { files: readPortalFiles(), streamUrlOf: (address) => streamUrlFor(stream, address) }
        : null,
      isReady: () => ready,
    });
    closers.push(async () => {
      // Reads that wait for tables or for ingest must not delay the shutdown.
      tables.close();
      requests.endWaits();
      await app.close();
    });
    const url = await listen(app, settings);
    void Promise.all(views.map((view) => view.caughtUp)).then(() => {
      ready = true;
      health.ready(PART);
    });
    return { url, newAdminToken, close };
  } catch (error) {
    // The error of the start is thrown; errors of the cleanup are only logged.
    await close().catch((fault: unknown) => logger.error({ error: fault }, 'cleanup after a failed start failed'));
    throw error;
  }
}

function firstKnown(positions: readonly (number | null)[]): number | null {
  return positions.find((position) => position !== null) ?? null;
}

/** Listens. Throws a `SettingError` if the host or the port is unavailable. */
async function listen(app: FastifyInstance, settings: RoleContext['settings']): Promise<string> {
  try {
    return await app.listen({ host: settings.host, port: settings.httpPort });
  } catch (error) {
    throw listenFault(error as NodeJS.ErrnoException, settings) ?? error;
  }
}

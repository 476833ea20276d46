import type { FastifyInstance } from 'fastify';
import { openBackfillHost } from '#infra/backfills/backfill-host';
import { closeInReverse, closeTogether } from '#infra/closing';
import { listenFault } from '#infra/config/listen-fault';
import type { RoleContext, Running } from '#infra/context';
import { createAuthenticator } from '#infra/control/authenticator';
import { openControlHost } from '#infra/control/control-host';
import { seedAdminKey } from '#infra/control/seed';
import { openUsageHost } from '#infra/quota/usage-host';
import { openPipelineClock } from '#infra/stages/pipeline-clock';
import { type RunningStage, runStage } from '#infra/stages/run-stage';
import type { Stage } from '#infra/stages/stage';
import { monitorStages } from '#infra/stages/stage-monitor';
import { clockTopic } from '#schemas/topics/control';
import { attemptTopic, deliveryTopic } from '#schemas/topics/webhooks';
import { buildApp } from './app.ts';
import { openTableBarrier } from './queries/table-barrier.ts';
import { openSandbox } from './sandbox/open-sandbox.ts';
import { bookTimeOf, bookTimesView } from './views/book-times.ts';
import type { Freshness } from './views/freshness.ts';
import { VIEWS } from './views/views.ts';

const PART = 'query-api';

export interface RunningQueryApi extends Running {
  /** Base address that it listens on. */
  readonly address: string;
  /** Lines to print once: the admin token, where one was made here. */
  readonly announcements: readonly string[];
}

/**
 * Serves REST. Listens at once, so that /health can tell how far the start is; data routes answer 503 until the views
 * hold everything that the log held at the start, which is also when the role is ready.
 */
export async function start(context: RoleContext): Promise<RunningQueryApi> {
  const { log, codec, logger, metrics, health, settings, store } = context;
  health.expect(PART);
  const onFault = (error: unknown) => {
    logger.error({ error }, 'the lag of views can no longer be watched');
    health.failed(PART, error);
  };
  const closers: (() => Promise<void>)[] = [];
  const close = () => closeInReverse(closers.splice(0));
  try {
    const control = await openControlHost(context);
    closers.push(() => control.close());
    const authenticator = createAuthenticator(control);
    const { adminToken, plan, corsOrigins } = settings;
    const usage = await openUsageHost({ log, codec, logger, health });
    closers.push(() => usage.close());
    const backfills = await openBackfillHost({ log, codec, logger, health });
    closers.push(() => backfills.close());
    const tables = await openTableBarrier({ log, codec, logger }, [deliveryTopic, attemptTopic]);
    const minted = await seedAdminKey({ host: control, authenticator, logger, adminToken, plan });

    const run = async <S>(stage: Stage<S>): Promise<RunningStage<S>> => {
      const running = await runStage({ stage, log, codec, logger, metrics, health, mode: 'view' });
      closers.push(() => running.close());
      return running;
    };
    const [events, coins, books] = [await run(VIEWS.events), await run(VIEWS.coins), await run(VIEWS.books)];
    const bookTimes = await run(bookTimesView);
    const clock = await openPipelineClock(log, onFault);
    const watched = [events, coins, books, bookTimes];
    const monitor = monitorStages({ stages: watched, clock, log, logger, health, metrics }, onFault);
    closers.push(() => closeTogether([monitor, clock]));
    const freshness: Freshness = {
      now: () => clock.now(events.positionOf(clockTopic)),
      isLive: clock.isLive,
      asOf: events.positionOf,
      bookAt: (instrument) => bookTimeOf(bookTimes.state, instrument),
    };
    let ready = false;
    const app = await buildApp({
      store,
      tables,
      sandbox: openSandbox(store),
      views: { events: events.state, coins: coins.state, books: books.state, freshness },
      health,
      control,
      authenticator,
      usage: usage.counts,
      backfills,
      quotas: settings.quotas,
      targetRules: { allowLoopback: settings.webhookAllowLoopback },
      logger,
      metrics,
      corsOrigins,
      isReady: () => ready,
    });
    closers.push(async () => {
      // A read that waits for tables must not hold the closing up.
      tables.close();
      await app.close();
    });
    const address = await listen(app, settings);
    void Promise.all(watched.map((view) => view.caughtUp)).then(() => {
      ready = true;
      health.ready(PART);
    });
    return { address, announcements: minted ? [`Admin key  ${minted} (shown once; keep it)`] : [], close };
  } catch (error) {
    // What made the start fail is told, not what closing the rest met with.
    await close().catch((fault: unknown) => logger.error({ error: fault }, 'a part did not close cleanly'));
    throw error;
  }
}

/** A host or a port that cannot be had is a bad setting. */
async function listen(app: FastifyInstance, settings: RoleContext['settings']): Promise<string> {
  try {
    return await app.listen({ host: settings.host, port: settings.httpPort });
  } catch (error) {
    throw listenFault(error as NodeJS.ErrnoException, settings) ?? error;
  }
}

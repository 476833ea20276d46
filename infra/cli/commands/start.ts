import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { start as startIngest } from '#ingest/start';
import { start as startProcessors } from '#processors/start';
import { start as startQueryApi } from '#query-api/start';
import { start as startGateway } from '#stream-gateway/start';
import { settingsHelp } from '../../config/help.ts';
import { loadSettings, SETTINGS, type Settings } from '../../config/settings.ts';
import type { RoleContext, Running } from '../../context.ts';
import { startInWorker } from '../../simulator/start-in-worker.ts';
import { createHealth } from '../../telemetry/health.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { startOpsServer } from '../../telemetry/ops-server.ts';
import type { Command } from '../command.ts';
import { openPorts, type Ports } from '../ports.ts';

/** Between two runs of retention and compaction. */
const MAINTENANCE_INTERVAL_MS = 60_000;
const GIB = 2 ** 30;
const DAY_MS = 86_400_000;

/** Runs Parallax until SIGINT or SIGTERM. */
export const start: Command = {
  name: 'start',
  summary: 'run Parallax: ingest, processors, query API and stream gateway',
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm start -- [settings]\n\n${settingsHelp(SETTINGS)}`);
      return 0;
    }
    const settings = loadSettings(argv, process.env);
    const logger = createLogger(settings.logLevel);
    const closers: Running[] = [];
    const stop = waitForSignal(logger);
    try {
      const started = await startAll(settings, logger, closers);
      // A part that fails for good, as an unreadable recording, ends the process with its message.
      const failed = Promise.race(closers.flatMap((running) => (running.failed ? [running.failed] : [stop.signalled])));
      await Promise.race([announceWhenReady(started, stop), failed]);
      await Promise.race([stop.signalled, failed]);
    } finally {
      stop.end();
      await closeAll(closers, logger);
    }
    return 0;
  },
};

interface Started {
  readonly context: RoleContext;
  /** Lines to print once ready. */
  readonly lines: readonly string[];
}

async function startAll(settings: Settings, logger: Logger, closers: Running[]): Promise<Started> {
  const ports = await openPorts(settings);
  closers.push(ports);
  const metrics = createMetrics();
  const health = createHealth();
  const upstream = await startSimulatorWhenAsked(settings, closers);
  const context: RoleContext = { settings: upstream, ...ports, logger, metrics, health };
  closers.push(startMaintenance(context, ports));
  const has = (role: Settings['roles'][number]) => settings.roles.includes(role);
  const lines: string[] = [];
  const close = (running: Running) => void closers.push(running);
  if (has('query-api')) {
    const api = await startQueryApi(context);
    close(api);
    lines.push(`REST       ${api.address}`);
    lines.push(...api.announcements);
  } else {
    const ops = await startOpsServer(context);
    close(ops);
    lines.push(`Health     ${ops.address}`);
  }
  if (has('stream-gateway')) {
    const gateway = await startGateway(context);
    close(gateway);
    lines.splice(1, 0, `WebSocket  ${gateway.address}`);
  }
  if (has('processors')) close(await startProcessors(context));
  // Ingest starts last and stops first, so that everyone else is there for what it brings.
  if (has('ingest')) close(await startIngest(context));
  return { context, lines };
}

/** With `--venues sim` the simulator runs beside the ingest role; URLs that were set by hand stay. */
async function startSimulatorWhenAsked(settings: Settings, closers: Running[]): Promise<Settings> {
  if (settings.venues !== 'sim' || !settings.roles.includes('ingest')) return settings;
  const simulator = await startInWorker({
    seed: settings.simSeed,
    rate: settings.simRate,
    events: settings.simEvents,
    coins: settings.simCoins,
    faults: settings.simFaults,
  });
  closers.push(simulator);
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
  return { ...settings, ...simulator.urls, ...given } as Settings;
}

function startMaintenance({ settings, log, logger, health }: RoleContext, _ports: Ports): Running {
  let stopping = false;
  let running = Promise.resolve();
  const limits = { rawMaxAgeMs: settings.retentionDays * DAY_MS, rawMaxBytes: settings.retentionGib * GIB };
  const timer = setInterval(() => {
    running = running.then(async () => {
      if (stopping) return;
      try {
        await log.maintain(Date.now(), limits);
        health.ready('retention');
      } catch (error) {
        logger.error({ error }, 'retention and compaction failed; trying again at the next interval');
        health.degraded('retention', 'retention and compaction fail; see the log');
      }
    });
  }, MAINTENANCE_INTERVAL_MS);
  return {
    async close() {
      stopping = true;
      clearInterval(timer);
      await running;
    },
  };
}

async function announceWhenReady(
  { context, lines }: Started,
  stop: { readonly stopping: () => boolean },
): Promise<void> {
  while (context.health.report().status !== 'ok') {
    if (stop.stopping()) return;
    await sleep(50);
  }
  console.log(lines.join('\n'));
}

/** Resolves at the first SIGINT or SIGTERM; repeated ones never cut the closing short. */
function waitForSignal(logger: Logger) {
  let stopping = false;
  const signalled = new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        logger.info({ signal }, stopping ? 'already closing' : 'closing');
        stopping = true;
        done();
      });
    }
  });
  return {
    signalled,
    stopping: () => stopping,
    /** Ends what waits for the service to become ready, as after a fault. */
    end: () => {
      stopping = true;
    },
  };
}

async function closeAll(closers: Running[], logger: Logger): Promise<void> {
  for (const running of closers.reverse()) {
    try {
      await running.close();
    } catch (error) {
      logger.error({ error }, 'a part did not close cleanly');
      process.exitCode = 1;
    }
  }
}

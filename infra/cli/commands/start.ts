import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { CLOCK_PART } from '#ingest/readiness';
import { start as startIngest } from '#ingest/start';
import { createStages } from '#processors/stages';
import { start as startProcessors } from '#processors/start';
import { start as startQueryApi } from '#query-api/start';
import { start as startGateway } from '#stream-gateway/start';
import { settingsHelp } from '../../config/help.ts';
import { loadSettings, SETTINGS, type Settings } from '../../config/settings.ts';
import type { RoleContext, Running } from '../../context.ts';
import { pause } from '../../pause.ts';
import { startInWorker } from '../../simulator/start-in-worker.ts';
import { createHealth, type Health } from '../../telemetry/health.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { startOpsServer } from '../../telemetry/ops-server.ts';
import type { Command } from '../command.ts';
import { beginLifetime, type Lifetime } from '../lifetime.ts';
import { openPorts } from '../ports.ts';
import { finishInterruptedReplay } from '../replay/alone.ts';

/** Between two runs of retention and compaction; sooner after one that failed, since it may be what makes room. */
const MAINTENANCE_INTERVAL_MS = 60_000;
const MAINTENANCE_RETRY_MS = 5_000;
const FIRST_MAINTENANCE_MAX_MS = 30 * 60_000;
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
    const health = createHealth();
    const lifetime = beginLifetime({ logger, health });
    const parts: Running[] = [];
    let closed = false;
    try {
      await announceWhenReady(await startAll({ settings, logger, health, lifetime, parts }), lifetime);
      // A part that stopped for good, as by an unreadable recording, ends the process with its message.
      const failure = await lifetime.over;
      if (failure) throw failure;
    } finally {
      closed = await lifetime.close(parts);
    }
    return closed ? 0 : 1;
  },
};

interface StartOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly health: Health;
  readonly lifetime: Lifetime;
  /** Takes every part that was started, in order. */
  readonly parts: Running[];
}

interface Started {
  readonly context: RoleContext;
  /** Lines to print once ready. */
  readonly lines: readonly string[];
}

async function startAll({ settings, logger, health, lifetime, parts }: StartOptions): Promise<Started> {
  const started = <R extends Running>(part: R): R => {
    parts.push(part);
    return part;
  };
  const ports = started(await openPorts(settings, { logger }));
  if (settings.roles.includes('processors'))
    await finishInterruptedReplay({ ...ports, logger }, createStages(settings));
  const upstream = await startSimulatorWhenAsked(settings, parts);
  const context: RoleContext = { settings: upstream, ...ports, logger, metrics: createMetrics(), health };
  started(startMaintenance(context));
  // What is to end before it has started starts no further.
  const starts = (role: Settings['roles'][number]) => settings.roles.includes(role) && !lifetime.isOver();
  const lines: string[] = [];
  if (starts('query-api')) {
    const api = started(await startQueryApi(context));
    lines.push(`REST       ${api.address}`);
    lines.push(...api.announcements);
  } else if (!lifetime.isOver()) {
    lines.push(`Health     ${started(await startOpsServer(context)).address}`);
  }
  if (starts('stream-gateway')) lines.splice(1, 0, `WebSocket  ${started(await startGateway(context)).address}`);
  if (starts('processors')) started(await startProcessors(context));
  // Ingest starts last and stops first, so that everyone else is there for what it brings.
  if (starts('ingest')) started(await startIngest(context));
  return { context, lines };
}

/** With `--venues sim` the simulator runs beside the ingest role; URLs that were set by hand stay. */
async function startSimulatorWhenAsked(settings: Settings, parts: Running[]): Promise<Settings> {
  if (settings.venues !== 'sim' || !settings.roles.includes('ingest')) return settings;
  const simulator = await startInWorker({
    seed: settings.simSeed,
    rate: settings.simRate,
    events: settings.simEvents,
    coins: settings.simCoins,
    faults: settings.simFaults,
  });
  parts.push(simulator);
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
  return { ...settings, ...simulator.urls, ...given } as Settings;
}

function startMaintenance({ settings, log, logger, health }: RoleContext): Running {
  const ending = new AbortController();
  const limits = { rawMaxAgeMs: settings.retentionDays * DAY_MS, rawMaxBytes: settings.retentionGib * GIB };
  const maintain = async (): Promise<number> => {
    try {
      await log.maintain(Date.now(), limits, ending.signal);
      health.ready('retention');
      return MAINTENANCE_INTERVAL_MS;
    } catch (error) {
      logger.error({ error }, 'retention and compaction failed; trying again soon');
      health.degraded('retention', 'retention and compaction fail; see the log');
      return MAINTENANCE_RETRY_MS;
    }
  };
  const run = async () => {
    // Processors that take up their work again need what they had not taken: compaction waits for them, unless they do
    // not get on because the disk is full.
    const latest = Date.now() + FIRST_MAINTENANCE_MAX_MS;
    while (health.report().status !== 'ok' && Date.now() < latest)
      if (!(await pause(MAINTENANCE_RETRY_MS, ending.signal))) return;
    for (let wait = MAINTENANCE_INTERVAL_MS; await pause(wait, ending.signal); ) wait = await maintain();
  };
  const running = run();
  return {
    async close() {
      ending.abort();
      await running;
    },
  };
}

async function announceWhenReady({ context, lines }: Started, lifetime: Lifetime): Promise<void> {
  while (!isUp(context.health)) {
    if (lifetime.isOver()) return;
    await sleep(50);
  }
  console.log(lines.join('\n'));
}

/** Whether everything works. A clock that is behind keeps nothing from working, and may be behind for days. */
function isUp(health: Health): boolean {
  const { status, parts } = health.report();
  return status === 'ok' || Object.entries(parts).every(([part, text]) => part === CLOCK_PART || text === 'ready');
}

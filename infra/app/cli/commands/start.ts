import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { CLOCK_PART } from '#ingest/readiness';
import { start as startIngest } from '#ingest/start';
import { createStages } from '#processors/stages';
import { start as startProcessors } from '#processors/start';
import { start as startQueryApi } from '#query-api/start';
import { UPSTREAMS } from '#schemas/venues/streams';
import { start as startGateway } from '#stream-gateway/start';
import { watchRegistry } from '../../../codec/watch-registry.ts';
import { settingsHelp } from '../../../config/help.ts';
import { loadSettings, SETTINGS, type Settings } from '../../../config/settings.ts';
import { measuredLog } from '../../../log/measured-log.ts';
import { openNodeReports } from '../../../nodes/node-reports.ts';
import type { RoleContext, Running } from '../../../runtime/context.ts';
import { pause } from '../../../runtime/pause.ts';
import { createHealth, type Health } from '../../../telemetry/health.ts';
import { createLogger } from '../../../telemetry/logger.ts';
import { createMetrics } from '../../../telemetry/metrics.ts';
import { startOpsServer } from '../../../telemetry/ops-server.ts';
import { measureProcess } from '../../../telemetry/process-metrics.ts';
import { type Terminal, terminal } from '../../../telemetry/terminal.ts';
import { startInWorker } from '../../simulator/start-in-worker.ts';
import type { Command } from '../command.ts';
import { type Lifetime, type NamedPart, startLifetime } from '../lifetime.ts';
import { openPorts } from '../ports.ts';
import { finishInterruptedReplay } from '../replay/run-exclusively.ts';
import { statusLine } from '../status-line.ts';
import { createWatchKey, tokenForWatchKey } from '../watch/watch-key.ts';

/** Time between two runs of retention and compaction. A failed run is retried sooner, since it may free disk space. */
const MAINTENANCE_INTERVAL_MS = 60_000;
const MAINTENANCE_RETRY_MS = 5_000;
const FIRST_MAINTENANCE_MAX_MS = 30 * 60_000;
const STATUS_INTERVAL_MS = 250;
const GIB = 2 ** 30;
const DAY_MS = 86_400_000;

/** Runs Parallax until SIGINT or SIGTERM. */
export const start: Command = {
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm start -- [settings]\n\n${settingsHelp(SETTINGS)}`);
      return 0;
    }
    const settings = loadSettings(argv, process.env);
    const logger = createLogger(settings.logLevel);
    const health = createHealth();
    const lifetime = startLifetime({ logger, health });
    const parts: NamedPart[] = terminal ? [{ name: 'status', running: showStatus(terminal, health) }] : [];
    let closed = false;
    try {
      await announceWhenReady(await startAll({ settings, logger, health, lifetime, parts }), lifetime);
      // A part that failed permanently, for example on an unreadable recording, ends the process with its message.
      const failure = await lifetime.shutdown;
      if (failure) throw failure;
    } finally {
      closed = await lifetime.close(parts);
    }
    if (!closed) return 1;
    console.log('stopped');
    return 0;
  },
};

interface StartOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly health: Health;
  readonly lifetime: Lifetime;
  /** Filled with every started part, in start order. */
  readonly parts: NamedPart[];
}

interface Started {
  readonly context: RoleContext;
  /** Lines to print once ready. */
  readonly lines: readonly string[];
  /** What the key of `npm run watch` is created with; null if it exists or this process cannot create it. */
  readonly watchKey: { readonly rest: string; readonly adminToken: string } | null;
}

async function startAll({ settings, logger, health, lifetime, parts }: StartOptions): Promise<Started> {
  const register = <R extends Running>(name: string, running: R): R => {
    parts.push({ name, running });
    return running;
  };
  const ports = register('log and store', await openPorts(settings, { logger }));
  if (settings.roles.includes('processors'))
    await finishInterruptedReplay({ ...ports, logger }, createStages(settings));
  const { upstream, simulatorUrl } = await startSimulatorIfSelected(settings, parts);
  const metrics = createMetrics();
  const node = settings.node ?? `${hostname()}-${randomBytes(2).toString('hex')}`;
  measureProcess(metrics, node);
  const context: RoleContext = {
    settings: { ...upstream, node },
    ...ports,
    log: measuredLog(ports.log, metrics),
    logger,
    metrics,
    health,
  };
  register('maintenance', startMaintenance(context));
  register('schema registry', watchRegistry(ports.registry, context));
  register('node reports', await openNodeReports(context));
  // No further role starts once shutdown was requested.
  const shouldStart = (role: Settings['roles'][number]) => settings.roles.includes(role) && !lifetime.isShuttingDown();
  const lines: string[] = [];
  let watchKey: Started['watchKey'] = null;
  if (shouldStart('query-api')) {
    const api = register('query-api', await startQueryApi(context));
    lines.push(`REST       ${api.url}`);
    if (settings.portal) lines.push(`Portal     ${api.url}/portal/`);
    if (simulatorUrl) lines.push(`Simulator  ${simulatorUrl} (/truth/<address> is what is true of an account)`);
    if (api.newAdminToken) lines.push(`Admin key  ${api.newAdminToken} (shown once; keep it)`);
    const tokens = { generated: api.newAdminToken, configured: settings.adminToken };
    const adminToken = settings.log === 'embedded' ? tokenForWatchKey(settings.dataDir, tokens) : null;
    if (adminToken !== null) watchKey = { rest: api.url, adminToken };
  } else if (!lifetime.isShuttingDown()) {
    lines.push(`Health     ${register('health', await startOpsServer(context)).url}`);
  }
  const gateway = shouldStart('stream-gateway') ? register('stream-gateway', await startGateway(context)) : null;
  if (gateway) lines.splice(1, 0, `WebSocket  ${gateway.url}`);
  if (shouldStart('processors')) register('processors', await startProcessors(context));
  // The gateway stops before the processors: replays to clients would delay their last snapshots.
  const at = parts.findIndex(({ running }) => running === gateway);
  if (gateway) parts.push(...parts.splice(at, 1));
  // Ingest starts last and stops first, so that its consumers run while it does.
  if (shouldStart('ingest')) register('ingest', await startIngest(context));
  return { context, lines, watchKey };
}

/**
 * With `--venues sim`, starts the simulator in this process and uses its URLs. Explicitly set URLs take precedence; if all
 * are set, another simulator serves them, and `simulatorUrl` is null.
 */
async function startSimulatorIfSelected(
  settings: Settings,
  parts: NamedPart[],
): Promise<{ readonly upstream: Settings; readonly simulatorUrl: string | null }> {
  const none = { upstream: settings, simulatorUrl: null };
  if (settings.venues !== 'sim' || !settings.roles.includes('ingest')) return none;
  if (Object.values(UPSTREAMS).every(({ setting }) => settings[setting] !== null)) return none;
  const simulator = await startInWorker({
    seed: settings.simSeed,
    rate: settings.simRate,
    events: settings.simEvents,
    coins: settings.simCoins,
    traders: settings.simTraders,
    accounts: settings.simAccounts,
    minuteMs: settings.simMinuteMs,
    faults: settings.simFaults,
  });
  parts.push({ name: 'simulator', running: simulator });
  const explicit = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
  return {
    upstream: { ...settings, ...simulator.urls, ...explicit } as Settings,
    simulatorUrl: new URL(simulator.urls.venueAApiUrl).origin,
  };
}

function startMaintenance({ settings, log, logger, health }: RoleContext): Running {
  const stopping = new AbortController();
  const limits = { rawMaxAgeMs: settings.retentionDays * DAY_MS, rawMaxBytes: settings.retentionGib * GIB };
  const maintain = async (): Promise<number> => {
    try {
      await log.maintain(Date.now(), limits, stopping.signal);
      health.ready('retention');
      return MAINTENANCE_INTERVAL_MS;
    } catch (error) {
      logger.error({ error }, 'retention and compaction failed, will retry');
      health.degraded('retention', 'retention and compaction fail; see the log');
      return MAINTENANCE_RETRY_MS;
    }
  };
  const run = async () => {
    // Resuming processors need records that they have not processed yet, so compaction waits for them. It does not wait
    // forever, because they may be blocked by a full disk.
    const latest = Date.now() + FIRST_MAINTENANCE_MAX_MS;
    while (health.report().status !== 'ok' && Date.now() < latest)
      if (!(await pause(MAINTENANCE_RETRY_MS, stopping.signal))) return;
    for (let wait = MAINTENANCE_INTERVAL_MS; await pause(wait, stopping.signal); ) wait = await maintain();
  };
  const running = run();
  return {
    async close() {
      stopping.abort();
      await running;
    },
  };
}

/** Shows on the terminal what the service is busy with, until it is closed. */
function showStatus(on: Terminal, health: Health): Running {
  const timer = setInterval(() => on.status(statusLine(health.report())), STATUS_INTERVAL_MS);
  return {
    async close() {
      clearInterval(timer);
      on.status(null);
    },
  };
}

async function announceWhenReady({ context, lines, watchKey }: Started, lifetime: Lifetime): Promise<void> {
  const { health, settings, logger } = context;
  while (!isReady(health)) {
    if (lifetime.isShuttingDown()) return;
    await sleep(50);
  }
  if (watchKey)
    await createWatchKey({ ...watchKey, dataDir: settings.dataDir }).catch((error: unknown) =>
      logger.warn({ error }, 'could not create the key of npm run watch, which needs --token now'),
    );
  terminal?.status(null);
  console.log(lines.join('\n'));
}

/** True if every part is ready. A clock that lags, possibly by days, does not count. */
function isReady(health: Health): boolean {
  const { status, parts } = health.report();
  return status === 'ok' || Object.entries(parts).every(([part, text]) => part === CLOCK_PART || text === 'ready');
}

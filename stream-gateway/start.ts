import { setTimeout as sleep } from 'node:timers/promises';
import { SettingError } from '#infra/config/declare';
import { createAuthenticator } from '#infra/control/authenticator';
import { openControlReplica } from '#infra/control/control-replica';
import { openUsageReplica } from '#infra/quota/usage-replica';
import { closeAll, closeInReverse } from '#infra/runtime/closing';
import type { RoleContext, Running } from '#infra/runtime/context';
import { openPipelineClock } from '#infra/stages/pipeline-clock';
import { runStage } from '#infra/stages/run-stage';
import { monitorStages } from '#infra/stages/stage-monitor';
import { OpenProblems } from '#infra/telemetry/open-problems';
import { CLOSE } from '#schemas/stream/frames';
import { handleClientFrame } from './connection/client-frames.ts';
import { Connection, type ConnectionCounters, type SocketData } from './connection/connection.ts';
import { Connections } from './connection/connections.ts';
import { keepAlive } from './connection/keep-alive.ts';
import { KeyFigures } from './connection/key-figures.ts';
import { openLateCork } from './connection/late-cork.ts';
import {
  CLIENT_FRAME_BYTES_MAX,
  SEND_QUEUE_BYTES_MAX,
  SOCKET_FRAME_BYTES_MAX,
  SOCKET_IDLE_SECONDS,
} from './connection/limits.ts';
import { MessageAllowances } from './connection/message-allowance.ts';
import { createUpgrade, notFound, type UpgradeOptions } from './connection/upgrade.ts';
import { loadUws, type TemplatedApp, type us_listen_socket, type WebSocket } from './connection/uws.ts';
import { watchChannelLag } from './fanout/channel-lag.ts';
import { Hub } from './fanout/hub.ts';
import { marketStatusView } from './fanout/market-status.ts';
import { onceForEachGap } from './fanout/once-for-each-gap.ts';
import { publishAllStatuses, publishChangedStatuses, type StatusSources } from './fanout/publish-status.ts';
import { requestBooks } from './fanout/request-books.ts';
import { Subscriptions } from './fanout/subscriptions.ts';
import { startWebhooks } from './webhooks/start.ts';

/** Part of `/health`. */
const PART = 'stream-gateway';
/** Time for clients to receive their close frame before the sockets are destroyed. */
const CLOSE_GRACE_MS = 250;

/** Serves `/v1/stream`. `url` is the WebSocket base URL, without the path. */
export async function start(context: RoleContext): Promise<Running & { readonly url: string }> {
  context.health.expect(PART);
  const closers: (() => Promise<void>)[] = [];
  const close = () => closeInReverse(closers.splice(0));
  try {
    const port = await serve(context, closers);
    context.health.ready(PART);
    const { host } = context.settings;
    return { url: `ws://${host.includes(':') ? `[${host}]` : host}:${port}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts the parts one by one and adds a function to `closers` that stops each. Returns the port. */
async function serve(context: RoleContext, closers: (() => Promise<void>)[]): Promise<number> {
  const { log, logger, settings, metrics } = context;
  const figures = new KeyFigures(countersOf(metrics));
  const control = await openControlReplica(context);
  closers.push(() => control.close());
  const usage = await openUsageReplica(context);
  closers.push(() => usage.close());
  const allowances = new MessageAllowances({
    counts: usage.counts,
    quotas: settings.quotas,
    planOf: (orgId) => control.state.organizations.get(orgId)?.plan,
    now: Date.now,
  });
  allowances.start();
  closers.push(async () => allowances.stop());
  const webhooks = await startWebhooks(context);
  closers.push(() => webhooks.close());
  // After a fault sockets would receive nothing, so they are closed and their clients connect to another node.
  let hasFailed = false;
  let closeSockets = () => {};
  const onFault = () => {
    hasFailed = true;
    closeSockets();
  };
  const hub = await startHub(context, closers, onFault);
  const status = await startStatus(context, hub, closers, onFault);
  const subscriptions = new Subscriptions({ log, hub, logger, status });
  const connections = new Connections();
  closers.push(() => subscriptions.close());
  const books = await requestBooks(context, subscriptions);
  closers.push(() => books.close());

  const lateCork = await openLateCork();
  closers.push(async () => lateCork.close());
  const uws = await loadUws();
  const app = uws.App();
  let closing = false;
  const upgrade: UpgradeOptions = {
    authenticator: createAuthenticator(control),
    keyUses: usage.keyUses,
    control,
    streamUrl: settings.streamUrl,
    logger,
    socketsOf: (keyId) => connections.ofKey(keyId).size,
    socketsPerKeyMax: settings.maxSocketsPerKey,
    isClosing: () => closing,
    lateCork,
  };
  const onCount = (count: number) => metrics.sockets.set(count);
  route({ app, upgrade, subscriptions, connections, figures, allowances, onCount });
  metrics.socketsByKey.read = () => figures.read(connections);
  closers.push(async () => {
    metrics.socketsByKey.read = null;
  });
  const listening = await listen(app, settings.host, settings.wsPort);
  const port = uws.us_socket_local_port(listening);
  const stopKeepAlive = keepAlive(connections, control.state);
  const stopWatching = control.onRevoked((keyId) => {
    for (const connection of connections.ofKey(keyId)) connection.end(CLOSE.revoked);
  });
  closeSockets = () => {
    closing = true;
    for (const connection of [...connections]) connection.end(CLOSE.restart);
  };
  if (hasFailed) closeSockets();
  closers.push(async () => {
    const open = connections.size;
    closeSockets();
    uws.us_listen_socket_close(listening);
    stopKeepAlive();
    stopWatching();
    if (open > 0) await sleep(CLOSE_GRACE_MS);
    app.close();
  });
  return port;
}

/** Adds frame counts to the metrics once in a turn of the event loop instead of with every flush of a socket. */
function countersOf({ framesSent, framesDropped }: RoleContext['metrics']): ConnectionCounters {
  let sent = 0;
  const flushSent = () => {
    framesSent.inc(sent);
    sent = 0;
  };
  return {
    sent(frames) {
      if (sent === 0) setImmediate(flushSent);
      sent += frames;
    },
    dropped: (frames, reason) => framesDropped.inc({ reason }, frames),
  };
}

async function startHub(context: RoleContext, closers: (() => Promise<void>)[], onFault: () => void): Promise<Hub> {
  const { log, codec, logger, metrics, health } = context;
  const hub = new Hub({
    log,
    codec,
    logger,
    onUndecodable: ({ topic }, reason) => metrics.deadLetters.inc({ topic, reason }),
    onGap: onceForEachGap((gap) => {
      logger.error(gap, 'sequence gap in a channel: the log does not hold these events');
      metrics.channelGaps.inc({ topic: gap.topic });
    }),
    problems: new OpenProblems(health, PART),
  });
  await hub.start((error) => {
    logger.error({ error }, 'the fan-out failed and stopped');
    health.failed(PART, error, 'the fan-out failed and stopped; see the log');
    onFault();
  });
  closers.push(() => hub.close());
  return hub;
}

/** Follows the status of markets and the lag of channels, and sends changes to subscribers. */
async function startStatus(
  context: RoleContext,
  hub: Hub,
  closers: (() => Promise<void>)[],
  onFault: () => void,
): Promise<StatusSources> {
  const { log, logger, metrics, health } = context;
  const onLagFault = (error: unknown) => {
    logger.error({ error }, 'monitoring of lag failed and stopped');
    health.failed(PART, error);
    onFault();
  };
  let sources: StatusSources | null = null;
  const onProgress = () => {
    if (sources) publishChangedStatuses(hub, sources);
  };
  const view = await runStage({ stage: marketStatusView, ...context, mode: 'view', onProgress });
  closers.push(() => view.close());
  const clock = await openPipelineClock(log, onLagFault);
  const lag = watchChannelLag({
    clock,
    newest: () => view.progress().newest,
    positionOf: (topic) => hub.timeOf(topic),
    onChange: () => {
      if (sources) publishAllStatuses(hub, sources);
    },
    onFault: onLagFault,
  });
  metrics.gatewayLag.seconds = () => lag.lagMs() / 1_000;
  closers.push(async () => {
    metrics.gatewayLag.seconds = null;
    await closeAll([lag, clock]);
  });
  const monitor = monitorStages({ stages: [view], clock, log, logger, health, metrics }, onLagFault);
  closers.push(() => monitor.close());
  sources = { markets: view.state, lagging: lag.lagging };
  // The stage itself logs its fault and reports it to health.
  view.stopped.catch(onFault);
  // A stage that stopped never catches up; its fault is thrown instead.
  await Promise.race([view.caughtUp, view.stopped]);
  return sources;
}

interface RouteOptions {
  readonly app: TemplatedApp;
  readonly upgrade: UpgradeOptions;
  readonly subscriptions: Subscriptions;
  readonly connections: Connections;
  readonly figures: KeyFigures;
  readonly allowances: MessageAllowances;
  /** Called with the number of open connections when it changes. */
  readonly onCount: (count: number) => void;
}

function route(options: RouteOptions): void {
  const { app, upgrade, subscriptions, connections, figures, allowances, onCount } = options;
  app.ws<SocketData>('/v1/stream', {
    idleTimeout: SOCKET_IDLE_SECONDS,
    sendPingsAutomatically: false,
    maxPayloadLength: SOCKET_FRAME_BYTES_MAX,
    // Never reached: the connection's own queue stops long before, and counts what it drops.
    maxBackpressure: 4 * SEND_QUEUE_BYTES_MAX,
    upgrade: createUpgrade(upgrade),
    open(socket) {
      const data = socket.getUserData();
      const { principal } = data;
      const allowance = allowances.open(principal.orgId);
      const counters = figures.countersOf(principal);
      data.connection = new Connection({ socket, principal, counters, allowance, now: Date.now });
      connections.add(data.connection);
      onCount(connections.size);
    },
    message(socket, message) {
      const connection = touchConnection(socket);
      if (message.byteLength > CLIENT_FRAME_BYTES_MAX) {
        connection.sendControl({ type: 'error', error: 'bad_frame' });
        connection.end(CLOSE.tooLarge);
        return;
      }
      handleClientFrame(connection, Buffer.from(message).toString('utf8'), subscriptions);
    },
    ping: (socket) => void touchConnection(socket),
    pong: (socket) => void touchConnection(socket),
    drain: (socket) => socket.getUserData().connection!.onDrain(),
    close(socket) {
      const connection = socket.getUserData().connection!;
      connection.closed = true;
      connections.delete(connection);
      subscriptions.removeAll(connection);
      allowances.close(connection.principal.orgId);
      onCount(connections.size);
    },
  });
  app.any('/*', notFound);
}

function touchConnection(socket: WebSocket<SocketData>): Connection {
  const connection = socket.getUserData().connection!;
  connection.markAlive();
  return connection;
}

function listen(app: TemplatedApp, host: string, port: number): Promise<us_listen_socket> {
  return new Promise((resolve, reject) => {
    app.listen(host, port, (socket) => {
      if (socket) resolve(socket);
      else reject(new SettingError(`cannot listen on --ws-port ${port} of ${host}; accepted: a free port, or 0`));
    });
  });
}

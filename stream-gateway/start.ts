import type { RoleContext, Running } from '#infra/context';
import { createAuthenticator } from '#infra/control/authenticator';
import { openControlHost } from '#infra/control/control-host';
import { runStage } from '#infra/stages/run-stage';
import { type HttpResponse, loadUws, type us_listen_socket, type WebSocket } from '#infra/uws';
import { CLOSE } from '#schemas/stream/frames';
import { handleClientFrame } from './connection/client-frames.ts';
import { Connection, type SocketData } from './connection/connection.ts';
import { keepAlive } from './connection/keep-alive.ts';
import { CLIENT_FRAME_BYTES_MAX, SEND_QUEUE_BYTES_MAX, SOCKET_FRAME_BYTES_MAX } from './connection/limits.ts';
import { createUpgrade } from './connection/upgrade.ts';
import { announceStatus } from './fanout/announce-status.ts';
import { Hub } from './fanout/hub.ts';
import { marketStatusView } from './fanout/market-status.ts';
import { Subscriptions } from './fanout/subscriptions.ts';

const CLOSE_WAIT_MS = 2_000;

/** Serves `/v1/stream`. `address` is the WebSocket base address, without the path. */
export async function start(context: RoleContext): Promise<Running & { readonly address: string }> {
  const { log, codec, logger, metrics, health, settings } = context;
  health.expect('stream-gateway');
  const control = await openControlHost(context);
  const authenticator = createAuthenticator(control);
  const hub = new Hub({ log, codec, logger });
  const status = await runStage({
    stage: marketStatusView,
    log,
    codec,
    logger,
    metrics,
    health,
    mode: 'view',
    onProgress: () => announceStatus(hub, status.state),
  });
  await status.caughtUp;
  await hub.start((error) => {
    logger.error({ error }, 'the fan-out stopped by a fault');
    health.degraded('stream-gateway', 'the fan-out stopped by a fault; see the log');
  });
  const connections = new Set<Connection>();
  const subscriptions = new Subscriptions({ log, hub, logger, status: status.state });
  const counters = {
    sent: (frames: number) => metrics.framesSent.inc(frames),
    dropped: (frames: number) => metrics.framesDropped.inc(frames),
  };

  const uws = await loadUws();
  const app = uws.App();
  app.ws<SocketData>('/v1/stream', {
    idleTimeout: 0,
    sendPingsAutomatically: false,
    maxPayloadLength: SOCKET_FRAME_BYTES_MAX,
    // Never reached: our own queue stops long before, and knows what it drops.
    maxBackpressure: 4 * SEND_QUEUE_BYTES_MAX,
    upgrade: createUpgrade({
      authenticator,
      logger,
      socketsOf: (keyId) => [...connections].filter((connection) => connection.principal.keyId === keyId).length,
      socketsPerKeyMax: settings.maxSocketsPerKey,
    }),
    open(socket) {
      const data = socket.getUserData();
      data.connection = new Connection(socket, data.principal, Date.now(), counters);
      connections.add(data.connection);
      metrics.sockets.set(connections.size);
    },
    message(socket, message) {
      const connection = seen(socket);
      if (message.byteLength > CLIENT_FRAME_BYTES_MAX) {
        connection.tell({ type: 'error', error: 'bad_frame' });
        connection.end(CLOSE.tooLarge);
        return;
      }
      handleClientFrame(connection, Buffer.from(message).toString('utf8'), subscriptions);
    },
    ping: (socket) => void seen(socket),
    pong: (socket) => void seen(socket),
    drain: (socket) => socket.getUserData().connection?.drained(Date.now()),
    close(socket) {
      const { connection } = socket.getUserData();
      if (!connection) return;
      connection.closed = true;
      connections.delete(connection);
      subscriptions.dropAll(connection);
      metrics.sockets.set(connections.size);
    },
  });
  app.any('/*', notFound);
  const listening = await listen(app, settings.host, settings.wsPort);
  const port = uws.us_socket_local_port(listening);
  const stopKeepAlive = keepAlive(connections);
  const stopWatching = control.onRevoked((keyId) => {
    for (const connection of connections) if (connection.principal.keyId === keyId) connection.end(CLOSE.revoked);
  });
  health.ready('stream-gateway');

  return {
    address: `ws://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`,
    async close() {
      uws.us_listen_socket_close(listening);
      stopKeepAlive();
      stopWatching();
      for (const connection of [...connections]) connection.end(CLOSE.restart);
      const deadline = Date.now() + CLOSE_WAIT_MS;
      while (connections.size > 0 && Date.now() < deadline) await new Promise((done) => setTimeout(done, 10));
      app.close();
      await hub.close();
      await status.close();
      await control.close();
    },
  };
}

function seen(socket: WebSocket<SocketData>): Connection {
  const connection = socket.getUserData().connection!;
  connection.lastSeenMs = Date.now();
  return connection;
}

function listen(app: import('#infra/uws').TemplatedApp, host: string, port: number): Promise<us_listen_socket> {
  return new Promise((resolve, reject) => {
    app.listen(host, port, (socket) => {
      if (socket) resolve(socket);
      else reject(new Error(`cannot listen on ${host}:${port}; is --ws-port taken?`));
    });
  });
}

function notFound(res: HttpResponse): void {
  res.writeStatus('404 Not Found').writeHeader('content-type', 'application/json');
  res.end(JSON.stringify({ error: { code: 'not_found', message: 'only /v1/stream is served here', requestId: null } }));
}

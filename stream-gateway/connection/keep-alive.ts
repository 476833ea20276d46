import type { ControlState } from '#schemas/domain/control/state';
import { CLOSE } from '#schemas/stream/frames';
import type { Connection } from './connection.ts';
import { IDLE_MS, PING_EVERY_MS, PONG_EVERY_MS } from './limits.ts';
import { checkSession } from './session.ts';

const CHECK_EVERY_MS = 1_000;

/**
 * Pings every 25 s, sends `pong` every 30 s, and closes connections without a frame for 60 s: any client answers a
 * protocol ping, so only a lost connection is idle. Closes those whose portal session has ended. Returns a function that
 * stops it.
 */
export function keepAlive(connections: Iterable<Connection>, state: ControlState): () => void {
  const timer = setInterval(() => {
    const nowMs = Date.now();
    for (const connection of connections) {
      checkSession(connection, state, nowMs);
      if (!connection.closed) checkConnection(connection, nowMs);
    }
  }, CHECK_EVERY_MS);
  return () => clearInterval(timer);
}

/** Checks one connection. */
export function checkConnection(connection: Connection, nowMs: number): void {
  // A client that is too slow does not answer pings either, and has its own time limit.
  if (!connection.isTooSlow && nowMs - connection.lastSeenMs >= IDLE_MS) {
    connection.end(CLOSE.idle);
    return;
  }
  if (nowMs - connection.lastPingMs >= PING_EVERY_MS) connection.ping(nowMs);
  if (nowMs - connection.lastPongMs >= PONG_EVERY_MS) {
    connection.lastPongMs = nowMs;
    connection.sendControl({ type: 'pong' });
  }
  connection.checkTooSlow(nowMs);
}

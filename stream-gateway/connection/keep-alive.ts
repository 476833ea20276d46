import { CLOSE } from '#schemas/stream/frames';
import type { Connection } from './connection.ts';
import { IDLE_MS, PING_EVERY_MS, PONG_EVERY_MS } from './limits.ts';

const LOOK_EVERY_MS = 1_000;

/**
 * Pings every 25 s, tells `pong` every 30 s, and closes what gave no sign of life for 60 s: since any client answers a
 * protocol ping, only a dead connection is idle. Returns how to stop.
 */
export function keepAlive(connections: Iterable<Connection>): () => void {
  const timer = setInterval(() => {
    const nowMs = Date.now();
    for (const connection of connections) tend(connection, nowMs);
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

/** One look at one connection. */
export function tend(connection: Connection, nowMs: number): void {
  // One that is too slow does not answer pings either, and ends by a limit of its own.
  if (!connection.isTooSlow && nowMs - connection.lastSeenMs >= IDLE_MS) {
    connection.end(CLOSE.idle);
    return;
  }
  if (nowMs - connection.lastPingMs >= PING_EVERY_MS) connection.ping(nowMs);
  if (nowMs - connection.lastPongMs >= PONG_EVERY_MS) {
    connection.lastPongMs = nowMs;
    connection.tell({ type: 'pong' });
  }
  connection.judge(nowMs);
}

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { brokenCopy, type FaultBoard, type SocketTarget } from '../faults/fault-board.ts';

/** One client of a hub. */
export interface HubClient {
  send(frame: string | Buffer): void;
  /** Closes the connection because a limit was exceeded. */
  close(): void;
}

/** Handlers of a socket protocol. */
export interface HubProtocol {
  /** False if a new connection is refused; every one is accepted by default. @param open open connections. */
  accept?(open: number): boolean;
  /** Called for each message of a client. */
  message(client: HubClient, text: string): void;
  /** Called when the client has disconnected. Must remove its subscriptions. */
  closed(client: HubClient): void;
}

export interface HubStats {
  readonly open: number;
  /** Frames and bytes sent since the start. */
  readonly framesSent: number;
  readonly bytesSent: number;
  /** Number of clients that were disconnected because of backpressure. */
  readonly slowDropped: number;
}

/** What happens on the sockets of all hubs, in order. Connections are numbered in each hub, from 1. */
export interface SocketObserver {
  opened?(target: SocketTarget, connection: number): void;
  /** Called with each frame that is sent to a client. */
  sent?(target: SocketTarget, connection: number, frame: Buffer): void;
  /** @param isComplete the hub ended the connection in such a way that the client receives everything that was sent. */
  ended?(target: SocketTarget, connection: number, isComplete: boolean): void;
}

export interface HubOptions {
  /** A client to which nothing was sent for this time is disconnected; no limit by default. */
  readonly idleLimitMs?: number;
  readonly observer?: SocketObserver | undefined;
}

/** The sockets of one interface, with fan-out, limits and faults. */
export interface SocketHub {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Sends a frame to many clients as the same bytes. */
  broadcast(clients: Iterable<HubClient>, text: string): void;
  /** Ends a step: writes the frames sent since the last flush in one write per socket. */
  flush(): void;
  /** Ends every connection after what was sent to it, and counts it as a fault. */
  disconnectAll(): void;
  /** Refuses new connections with 503. They count as attempts. */
  refuse(durationMs: number): void;
  /** Closes every socket. */
  terminateAll(): void;
  /** Silences open and new sockets, then closes them. */
  silence(durationMs: number): void;
  stats(): HubStats;
  close(): Promise<void>;
}

/** Unsent bytes at which a slow client is disconnected, as venues do. */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Status of a close frame. */
const POLICY_VIOLATION = 1008;
/** How long the client of an ended connection may take to close it. */
const END_TIMEOUT_MS = 10_000;

interface Client extends HubClient {
  readonly ws: WebSocket;
  readonly stream: Duplex;
  readonly connection: number;
  isCorked: boolean;
  sentAtMs: number;
}

export function createSocketHub(
  target: SocketTarget,
  board: FaultBoard,
  makeProtocol: () => HubProtocol,
  { idleLimitMs, observer }: HubOptions = {},
): SocketHub {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    // Protocol pings are answered below, since a silenced socket must not answer them.
    autoPong: false,
  });
  const protocol = makeProtocol();
  const clients = new Set<Client>();
  const corked: Client[] = [];
  let connections = 0;
  let refusedUntilMs = 0;
  let silentUntilMs = 0;
  /** Runs while the sockets are silent. Until it has closed them nothing is sent, even if it runs late. */
  let silenceTimer: NodeJS.Timeout | null = null;
  let framesSent = 0;
  let bytesSent = 0;
  let slowDropped = 0;

  const isSilent = () => silenceTimer !== null;
  const terminate = (client: Client) => client.ws.terminate();

  const deliver = (client: Client, frame: Buffer) => {
    if (!clients.has(client) || client.ws.readyState !== client.ws.OPEN || isSilent()) return;
    if (client.ws.bufferedAmount > MAX_BUFFERED_BYTES) {
      slowDropped += 1;
      terminate(client);
      return;
    }
    if (!client.isCorked) {
      client.isCorked = true;
      client.stream.cork();
      corked.push(client);
    }
    client.ws.send(frame, { binary: false });
    client.sentAtMs = Date.now();
    observer?.sent?.(target, client.connection, frame);
    framesSent += 1;
    bytesSent += frame.length;
  };
  const flush = () => {
    for (const client of corked) {
      client.isCorked = false;
      client.stream.uncork();
    }
    corked.length = 0;
  };
  const terminateIdle = () => {
    const limit = Date.now() - idleLimitMs!;
    for (const client of clients) if (client.sentAtMs < limit) terminate(client);
  };
  const idleTimer = idleLimitMs === undefined ? null : setInterval(terminateIdle, 1_000);
  idleTimer?.unref();

  const admit = (ws: WebSocket, stream: Duplex) => {
    connections += 1;
    const client: Client = {
      ws,
      stream,
      connection: connections,
      isCorked: false,
      sentAtMs: Date.now(),
      send(frame) {
        deliver(client, typeof frame === 'string' ? Buffer.from(frame) : frame);
      },
      close: () => ws.close(POLICY_VIOLATION, 'a limit was exceeded'),
    };
    clients.add(client);
    observer?.opened?.(target, client.connection);
    ws.on('message', (data) => {
      if (!clients.has(client)) return;
      protocol.message(client, String(data));
      flush();
    });
    ws.on('ping', (data) => {
      if (!isSilent() && clients.has(client)) ws.pong(data);
    });
    // Resets are normal. The `close` event follows and cleans up.
    ws.on('error', () => terminate(client));
    ws.on('close', () => remove(client, false));
  };
  const remove = (client: Client, isComplete: boolean) => {
    if (!clients.delete(client)) return;
    protocol.closed(client);
    observer?.ended?.(target, client.connection, isComplete);
  };
  /** Ends a connection without a close frame. Unlike `terminate`, it loses nothing that was sent. */
  const end = (client: Client) => {
    remove(client, true);
    client.stream.end();
    setTimeout(() => terminate(client), END_TIMEOUT_MS).unref();
  };

  const terminateAll = () => {
    for (const client of clients) terminate(client);
  };
  const endSilence = () => {
    // Frames that were not sent are lost, so clients must reconnect.
    terminateAll();
    silenceTimer = null;
  };

  return {
    upgrade(request, socket, head) {
      if (protocol.accept && !protocol.accept(clients.size)) {
        socket.end('HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\n\r\n');
        return;
      }
      if (Date.now() < refusedUntilMs) {
        socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n');
        return;
      }
      server.handleUpgrade(request, socket, head, (ws) => admit(ws, socket));
    },
    broadcast(listeners, text) {
      const frame = Buffer.from(text);
      let first: Client | null = null;
      for (const client of listeners as Iterable<Client>) {
        first ??= client;
        deliver(client, frame);
      }
      if (!first || isSilent()) return;
      // Only one client gets the faulty copies, so that tests can compare counts of sent and received faults.
      if (board.consume('duplicates', target)) deliver(first, frame);
      if (board.consume('malformed', target)) deliver(first, brokenCopy(frame));
    },
    flush,
    disconnectAll() {
      board.count('disconnects', target);
      flush();
      for (const client of [...clients]) end(client);
    },
    refuse(durationMs) {
      board.count('refusals', target);
      refusedUntilMs = Math.max(refusedUntilMs, Date.now() + durationMs);
    },
    terminateAll: terminateAll,
    silence(durationMs) {
      board.count('silence', target);
      silentUntilMs = Math.max(silentUntilMs, Date.now() + durationMs);
      if (silenceTimer) clearTimeout(silenceTimer);
      silenceTimer = setTimeout(endSilence, silentUntilMs - Date.now());
      silenceTimer.unref();
    },
    stats: () => ({ open: clients.size, framesSent, bytesSent, slowDropped }),
    async close() {
      if (idleTimer) clearInterval(idleTimer);
      if (silenceTimer) clearTimeout(silenceTimer);
      for (const ws of server.clients) ws.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

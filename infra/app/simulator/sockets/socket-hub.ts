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

/** The sockets of one interface, with fan-out, limits and faults. */
export interface SocketHub {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Sends a frame to many clients as the same bytes. */
  broadcast(clients: Iterable<HubClient>, text: string): void;
  /** Ends a step: writes the frames sent since the last flush in one write per socket. */
  flush(): void;
  /** Closes every socket and counts it as a fault. */
  disconnectAll(): void;
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

interface Client extends HubClient {
  readonly ws: WebSocket;
  readonly stream: Duplex;
  isCorked: boolean;
  sentAtMs: number;
}

export function createSocketHub(
  target: SocketTarget,
  board: FaultBoard,
  makeProtocol: () => HubProtocol,
  /** A client to which nothing was sent for this time is disconnected; null for no limit. */
  idleLimitMs: number | null,
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
  let silentUntilMs = 0;
  /** Runs while the sockets are silent. Until it has closed them nothing is sent, even if it runs late. */
  let silenceTimer: NodeJS.Timeout | null = null;
  let framesSent = 0;
  let bytesSent = 0;
  let slowDropped = 0;

  const isSilent = () => silenceTimer !== null;
  const terminate = (client: Client) => client.ws.terminate();

  const deliver = (client: Client, frame: Buffer) => {
    if (client.ws.readyState !== client.ws.OPEN || isSilent()) return;
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
    const limit = Date.now() - (idleLimitMs ?? 0);
    for (const client of clients) if (client.sentAtMs < limit) terminate(client);
  };
  const idleTimer = idleLimitMs === null ? null : setInterval(terminateIdle, 1_000);
  idleTimer?.unref();

  const admit = (ws: WebSocket, stream: Duplex) => {
    const client: Client = {
      ws,
      stream,
      isCorked: false,
      sentAtMs: Date.now(),
      send(frame) {
        deliver(client, typeof frame === 'string' ? Buffer.from(frame) : frame);
      },
      close: () => ws.close(POLICY_VIOLATION, 'a limit was exceeded'),
    };
    clients.add(client);
    ws.on('message', (data) => {
      protocol.message(client, String(data));
      flush();
    });
    ws.on('ping', (data) => {
      if (!isSilent()) ws.pong(data);
    });
    // Resets are normal. The `close` event follows and cleans up.
    ws.on('error', () => terminate(client));
    ws.on('close', () => {
      clients.delete(client);
      protocol.closed(client);
    });
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
      terminateAll();
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
      terminateAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

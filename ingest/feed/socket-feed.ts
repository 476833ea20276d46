/**
 * One connection slot of a venue's WebSocket. It reconnects with backoff, subscribes to everything again, detects silent
 * sockets, and records every gap.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { ConnectionState, type ConnectionStateOptions } from './connection-state.ts';
import type { ConnectionPermit, SocketPlanner } from './planner.ts';
import { reconnectDelayMs } from './reconnect.ts';
import { USER_AGENT } from './user-agent.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** A larger frame is not one of the venue's and closes the connection. */
const FRAME_BYTES_MAX = 16 * 1024 * 1024;
/** A connection that lasted this long and received a frame resets the failure count. */
const STABLE_AFTER_MS = 5_000;
/** Time limit of the closing handshake. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Heartbeat of a venue's sockets. */
export interface Heartbeat {
  /** Sent at each interval; the venue answers it. */
  readonly frame: string;
  readonly intervalMs: number;
  /** A connection without any frame for this time counts as dead. */
  readonly silenceMs: number;
}

export interface SocketFeedOptions extends ConnectionStateOptions {
  /** `<venue>.<stream>` of its frames. */
  readonly source: string;
  readonly url: string;
  readonly heartbeat: Heartbeat;
  /** The venue's limits on connections and client frames, shared by its slots. */
  readonly planner: SocketPlanner;
  /** Which slot connects first; lower numbers first, 0 by default. */
  readonly priority?: number;
  /** Called for each frame after it has been handed to the log. */
  readonly onFrame?: (frame: Buffer) => void;
  /** Called after each connection is established, to subscribe over it. */
  readonly onConnected: (link: SocketLink) => void;
  readonly stableAfterMs?: number;
}

/** One connection, for those who send over it. */
export interface SocketLink {
  /** Aborts when the connection has ended. */
  readonly ended: AbortSignal;
  /** True if the venue knows of the end; set before `ended` aborts. */
  readonly endedByVenue: boolean;
  /**
   * Sends a frame when the limits allow it. Rejects if the signal aborts first: `ended`, or one that aborts with it at the
   * latest.
   */
  readonly send: (frame: string, priority: number, signal?: AbortSignal) => Promise<void>;
  /** Ends the connection; the feed connects again after a wait. @param reason stated with the gap. */
  readonly close: (reason: string) => void;
}

/** Pings come first: without them the venue closes the connection. */
const PING_PRIORITY = -1;

export class SocketFeed {
  private readonly options: SocketFeedOptions;
  private readonly connection: ConnectionState;
  private readonly closing = new AbortController();
  private readonly finished: Promise<void>;
  private socket: WebSocket | null = null;
  /** When the current connection last showed activity, monotonic ms. */
  private lastFrameAt = 0;
  private hasReceivedFrame = false;
  /** Ends the current connection without waiting for the venue. */
  private terminate = () => {};

  /** Starts to connect. */
  constructor(options: SocketFeedOptions) {
    this.options = options;
    this.connection = new ConnectionState(options);
    this.finished = this.run();
  }

  get connected(): boolean {
    return this.connection.connected;
  }

  async close(): Promise<void> {
    this.closing.abort();
    const { socket } = this;
    socket?.close(1000);
    const timer = setTimeout(() => this.terminate(), CLOSE_TIMEOUT_MS);
    await this.finished;
    clearTimeout(timer);
    this.connection.markClosed();
  }

  private async run(): Promise<void> {
    const { signal } = this.closing;
    const { publisher, planner, logger, feed, priority = 0 } = this.options;
    while (!signal.aborted) {
      try {
        // Frames could not be stored while the log accepts nothing.
        await publisher.whenReady(signal);
        const reason = await this.connectOnce(await planner.openConnection(priority, signal));
        if (signal.aborted) return;
        this.connection.markFailed(reason);
        // While the venue refuses connections, the planner lets one slot at a time try.
        if (!planner.isRefused) await sleep(reconnectDelayMs(this.connection.failures), undefined, { signal });
      } catch (error) {
        // Either this feed is closing, or the log failed permanently, which the publisher has reported.
        if (!signal.aborted) logger.error({ feed, error }, 'feed stopped');
        return;
      }
    }
  }

  /** Resolves with the reason when the connection has ended or could not be established. */
  private connectOnce(permit: ConnectionPermit): Promise<string> {
    return new Promise((resolve) => {
      const socket = new WebSocket(this.options.url, {
        handshakeTimeout: CONNECT_TIMEOUT_MS,
        maxPayload: FRAME_BYTES_MAX,
        perMessageDeflate: false,
        // An invalid frame is published unchanged; the processors validate it.
        skipUTF8Validation: true,
        headers: { 'user-agent': USER_AGENT },
      });
      this.socket = socket;
      let stop = (_byVenue: boolean) => {};
      let reason: string | null = null;
      /** True from when it is open, unless this process ends it without an answer of the venue. */
      let endsByVenue = false;
      this.terminate = () => {
        endsByVenue = false;
        socket.terminate();
      };
      socket.on('upgrade', permit.attempted);
      socket.on('open', () => {
        endsByVenue = true;
        stop = this.watchConnection(socket, (why) => {
          reason = why;
        });
      });
      socket.on('message', (data: Buffer) => {
        permit.works();
        this.handleFrame(data);
      });
      socket.on('error', (error) => {
        reason ??= error.message;
        endsByVenue = false;
      });
      socket.on('close', (code, text) => {
        stop(endsByVenue);
        permit.ended(endsByVenue);
        this.socket = null;
        resolve(reason ?? `closed by the venue: ${code} ${text.toString()}`.trim());
      });
      if (this.closing.signal.aborted) this.terminate();
    });
  }

  private handleFrame(frame: Buffer): void {
    this.lastFrameAt = performance.now();
    this.hasReceivedFrame = true;
    this.options.publisher.receive({ source: this.options.source, feed: this.options.feed, payload: frame });
    this.options.onFrame?.(frame);
  }

  /** Subscribes and monitors the open connection. Returns a function that stops monitoring. */
  private watchConnection(socket: WebSocket, setReason: (reason: string) => void): (byVenue: boolean) => void {
    const { publisher, heartbeat, onConnected, stableAfterMs = STABLE_AFTER_MS } = this.options;
    const openedAt = performance.now();
    this.lastFrameAt = openedAt;
    this.hasReceivedFrame = false;
    this.connection.markConnected();
    const close = (reason: string) => {
      setReason(reason);
      socket.close(1000);
      const timer = setTimeout(this.terminate, CLOSE_TIMEOUT_MS);
      link.ended.addEventListener('abort', () => clearTimeout(timer));
    };
    const link = new OpenLink(socket, this.options, close);
    onConnected(link);
    const applyBackpressure = (paused: boolean) => {
      if (socket.readyState !== WebSocket.OPEN) return;
      if (paused) socket.pause();
      else socket.resume();
      // Frames of the meantime wait in the system's buffers, so the silence timer restarts.
      this.lastFrameAt = performance.now();
    };
    if (publisher.paused) applyBackpressure(true);
    const unsubscribe = publisher.onBackpressure(applyBackpressure);
    // The link reports why it cannot send; without pings the venue ends the connection.
    const ping = () => void link.send(heartbeat.frame, PING_PRIORITY).catch(() => {});
    const pinging = setInterval(ping, heartbeat.intervalMs);
    const watching = setInterval(() => {
      const now = performance.now();
      if (this.hasReceivedFrame && now - openedAt >= stableAfterMs) this.connection.resetFailures();
      if (publisher.paused || now - this.lastFrameAt < heartbeat.silenceMs) return;
      const reason = `no frame for ${heartbeat.silenceMs} ms`;
      setReason(reason);
      this.connection.markSilent(reason);
      this.terminate();
    }, heartbeat.silenceMs / 20);
    return (byVenue) => {
      clearInterval(pinging);
      clearInterval(watching);
      unsubscribe();
      link.end(byVenue);
    };
  }
}

class OpenLink implements SocketLink {
  endedByVenue = false;
  readonly ended: AbortSignal;
  readonly close: (reason: string) => void;
  private readonly socket: WebSocket;
  private readonly options: Pick<SocketFeedOptions, 'planner' | 'logger' | 'feed'>;
  private readonly ending = new AbortController();
  private hasReported = false;

  constructor(
    socket: WebSocket,
    options: Pick<SocketFeedOptions, 'planner' | 'logger' | 'feed'>,
    close: (reason: string) => void,
  ) {
    this.close = close;
    this.socket = socket;
    this.options = options;
    this.ended = this.ending.signal;
    // Each frame that waits for room listens to it.
    setMaxListeners(0, this.ended);
  }

  async send(frame: string, priority: number, signal = this.ended): Promise<void> {
    await this.options.planner.openMessage(priority, signal).catch((error: unknown) => {
      if (!signal.aborted) this.report(error);
      throw error;
    });
    // A socket that is closing drops it; the next connection subscribes to everything.
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(frame);
  }

  /** Another process is about to take over, or too many frames wait already. */
  private report(error: unknown): void {
    const { logger, feed } = this.options;
    if (!this.hasReported) logger.error({ feed, error }, 'could not send frames over a connection');
    this.hasReported = true;
  }

  end(byVenue: boolean): void {
    this.endedByVenue = byVenue;
    this.ending.abort(new Error('the connection has ended'));
  }
}

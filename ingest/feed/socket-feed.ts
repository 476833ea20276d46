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
/** Time limit of the closing handshake at the end of this process. */
const CLOSE_TIMEOUT_MS = 1_000;
/** The code of a connection that ended without a close frame of the venue. */
const WITHOUT_CLOSE_FRAME = 1006;
/** Errors that mean that the other side has no such connection any more. */
const ENDED_BY_PEER = new Set(['ECONNRESET', 'EPIPE']);

/** Heartbeat of a venue's sockets. */
export interface Heartbeat {
  /** Sent at each interval; the venue answers it. */
  readonly frame: string;
  readonly intervalMs: number;
  /** A connection without any frame for this time counts as dead. */
  readonly silenceMs: number;
  /**
   * The venue ends a connection to which it sent nothing for this time. A connection that it may not know to have ended
   * counts that long against its limits. By default it counts no longer than the budget of connections states.
   */
  readonly idleLimitMs?: number;
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
  /**
   * Aborts when the connection counts no more at the venue: it ended it or confirmed its end, or must have noticed by now.
   * After `ended`.
   */
  readonly released: AbortSignal;
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
  /** When the current connection last showed activity, monotonic ms. */
  private lastFrameAt = 0;
  private hasReceivedFrame = false;
  /** Sockets that are not ended yet: the current one, and those whose end the venue has not confirmed. */
  private readonly open = new Set<WebSocket>();

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
    for (const socket of this.open) socket.close(1000);
    const timer = setTimeout(() => this.terminateAll(), CLOSE_TIMEOUT_MS);
    await this.finished;
    clearTimeout(timer);
    this.terminateAll();
    this.connection.markClosed();
  }

  private terminateAll(): void {
    for (const socket of this.open) socket.terminate();
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
      const { url, heartbeat } = this.options;
      const socket = new WebSocket(url, {
        handshakeTimeout: CONNECT_TIMEOUT_MS,
        maxPayload: FRAME_BYTES_MAX,
        perMessageDeflate: false,
        // An invalid frame is published unchanged; the processors validate it.
        skipUTF8Validation: true,
        headers: { 'user-agent': USER_AGENT },
        // The venue may confirm the end until then.
        ...(heartbeat.idleLimitMs === undefined ? {} : { closeTimeout: heartbeat.idleLimitMs }),
      });
      this.open.add(socket);
      let link: OpenLink | null = null;
      let stop = () => {};
      let reason: string | null = null;
      /** True when the venue ended the connection or confirmed its end. */
      let isConfirmed = false;
      let hasLeft = false;
      let holding: NodeJS.Timeout | undefined;
      /** Ends the use of the connection, whether or not the venue knows. */
      const leave = () => {
        if (hasLeft) return;
        hasLeft = true;
        stop();
        link?.end();
        permit.ended();
        // A connection that was never open holds nothing that would have to be confirmed.
        if (!isConfirmed) holding = this.hold(link ? (heartbeat.idleLimitMs ?? 0) : 0, release);
        resolve(reason ?? 'closed by the venue');
      };
      const release = () => {
        clearTimeout(holding);
        link?.release();
        permit.released(isConfirmed);
        socket.terminate();
      };
      const end = (why: string) => {
        reason = why;
        if (heartbeat.idleLimitMs === undefined) socket.terminate();
        else socket.close(1000);
        leave();
      };
      socket.on('upgrade', ({ socket: stream }) => {
        permit.attempted();
        stream.once('end', () => {
          isConfirmed = true;
        });
        stream.once('error', ({ code }: NodeJS.ErrnoException) => {
          if (ENDED_BY_PEER.has(code ?? '')) isConfirmed = true;
        });
      });
      socket.on('open', () => {
        link = new OpenLink(socket, this.options, end);
        stop = this.watchConnection(socket, link);
      });
      socket.on('message', (data: Buffer) => {
        if (hasLeft) return;
        permit.works();
        this.handleFrame(data);
      });
      socket.on('error', (error) => {
        reason ??= error.message;
      });
      socket.on('close', (code, text) => {
        this.open.delete(socket);
        reason ??= `closed by the venue: ${code} ${text.toString()}`.trim();
        if (code !== WITHOUT_CLOSE_FRAME) isConfirmed = true;
        leave();
        if (isConfirmed) release();
      });
      if (this.closing.signal.aborted) socket.terminate();
    });
  }

  /** Calls `release` after a time. It does not delay the end of the process. */
  private hold(ms: number, release: () => void): NodeJS.Timeout | undefined {
    if (ms > 0) return setTimeout(release, ms).unref();
    release();
    return undefined;
  }

  private handleFrame(frame: Buffer): void {
    this.lastFrameAt = performance.now();
    this.hasReceivedFrame = true;
    this.options.publisher.receive({ source: this.options.source, feed: this.options.feed, payload: frame });
    this.options.onFrame?.(frame);
  }

  /** Subscribes and monitors the open connection. Returns a function that stops monitoring. */
  private watchConnection(socket: WebSocket, link: OpenLink): () => void {
    const { publisher, heartbeat, onConnected, stableAfterMs = STABLE_AFTER_MS } = this.options;
    const openedAt = performance.now();
    this.lastFrameAt = openedAt;
    this.hasReceivedFrame = false;
    this.connection.markConnected();
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
      this.connection.markSilent(reason);
      link.close(reason);
    }, heartbeat.silenceMs / 20);
    return () => {
      clearInterval(pinging);
      clearInterval(watching);
      unsubscribe();
    };
  }
}

class OpenLink implements SocketLink {
  readonly ended: AbortSignal;
  readonly released: AbortSignal;
  readonly close: (reason: string) => void;
  private readonly socket: WebSocket;
  private readonly options: Pick<SocketFeedOptions, 'planner' | 'logger' | 'feed'>;
  private readonly ending = new AbortController();
  private readonly releasing = new AbortController();
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
    this.released = this.releasing.signal;
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

  end(): void {
    this.ending.abort(new Error('the connection has ended'));
  }

  /** Called after `end`. */
  release(): void {
    this.releasing.abort();
  }
}

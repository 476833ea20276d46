/**
 * One connection slot of a venue's WebSocket. It reconnects with backoff, subscribes to everything again, detects silent
 * sockets, and records every gap.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Budget } from './budget.ts';
import { ConnectionState, type ConnectionStateOptions } from './connection-state.ts';
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
  /** The venue's limit on new connections, shared by its slots. */
  readonly connections: Budget;
  /** The venue's limit on client frames, shared by its slots. */
  readonly messages: Budget;
  /** Returns the frames that subscribe to everything of this slot. */
  readonly subscribeFrames: () => readonly string[];
  /** Called for each frame after it has been handed to the log. */
  readonly onFrame?: (frame: Buffer) => void;
  /** Called after each connection is established. */
  readonly onConnected?: () => void;
  readonly stableAfterMs?: number;
}

export class SocketFeed {
  private readonly options: SocketFeedOptions;
  private readonly connection: ConnectionState;
  private readonly closing = new AbortController();
  private readonly finished: Promise<void>;
  private socket: WebSocket | null = null;
  /** Sends frames one after the other, also those that are added while subscribing. */
  private sending: Promise<void> = Promise.resolve();
  /** When the current connection last showed activity, monotonic ms. */
  private lastFrameAt = 0;
  private hasReceivedFrame = false;

  /** Starts to connect. */
  constructor(options: SocketFeedOptions) {
    this.options = options;
    this.connection = new ConnectionState(options);
    this.finished = this.run();
  }

  get connected(): boolean {
    return this.connection.connected;
  }

  /** Sends frames over the open connection. Without one they are dropped: the next connection subscribes to everything. */
  send(frames: readonly string[]): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.sendOver(this.socket, frames);
  }

  async close(): Promise<void> {
    this.closing.abort();
    const { socket } = this;
    socket?.close(1000);
    const timer = setTimeout(() => socket?.terminate(), CLOSE_TIMEOUT_MS);
    await this.finished;
    clearTimeout(timer);
    this.connection.markClosed();
  }

  private async run(): Promise<void> {
    const { signal } = this.closing;
    const { publisher, connections, logger, feed } = this.options;
    while (!signal.aborted) {
      try {
        // Frames could not be stored while the log accepts nothing.
        await publisher.whenReady(signal);
        await connections.acquire(1, signal);
        const reason = await this.connectOnce();
        if (signal.aborted) return;
        this.connection.markFailed(reason);
        await sleep(reconnectDelayMs(this.connection.failures), undefined, { signal });
      } catch (error) {
        // Either this feed is closing, or the log failed permanently, which the publisher has reported.
        if (!signal.aborted) logger.error({ feed, error }, 'feed stopped');
        return;
      }
    }
  }

  /** Resolves with the reason when the connection has ended or could not be established. */
  private connectOnce(): Promise<string> {
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
      let stop = () => {};
      let reason: string | null = null;
      socket.on('open', () => {
        stop = this.watchConnection(socket, (why) => {
          reason = why;
        });
      });
      socket.on('message', (data: Buffer) => this.handleFrame(data));
      socket.on('error', (error) => {
        reason ??= error.message;
      });
      socket.on('close', (code, text) => {
        stop();
        this.socket = null;
        resolve(reason ?? `closed by the venue: ${code} ${text.toString()}`.trim());
      });
      if (this.closing.signal.aborted) socket.terminate();
    });
  }

  private handleFrame(frame: Buffer): void {
    this.lastFrameAt = performance.now();
    this.hasReceivedFrame = true;
    this.options.publisher.receive({ source: this.options.source, feed: this.options.feed, payload: frame });
    this.options.onFrame?.(frame);
  }

  /** Subscribes and monitors the open connection. Returns a function that stops monitoring. */
  private watchConnection(socket: WebSocket, setReason: (reason: string) => void): () => void {
    const { publisher, heartbeat, subscribeFrames, onConnected, stableAfterMs = STABLE_AFTER_MS } = this.options;
    const openedAt = performance.now();
    this.lastFrameAt = openedAt;
    this.hasReceivedFrame = false;
    this.connection.markConnected();
    this.sending = Promise.resolve();
    this.sendOver(socket, subscribeFrames());
    onConnected?.();
    const applyBackpressure = (paused: boolean) => {
      if (socket.readyState !== WebSocket.OPEN) return;
      if (paused) socket.pause();
      else socket.resume();
      // Frames of the meantime wait in the system's buffers, so the silence timer restarts.
      this.lastFrameAt = performance.now();
    };
    if (publisher.paused) applyBackpressure(true);
    const unsubscribe = publisher.onBackpressure(applyBackpressure);
    const pinging = setInterval(() => this.sendOver(socket, [heartbeat.frame]), heartbeat.intervalMs);
    const watching = setInterval(() => {
      const now = performance.now();
      if (this.hasReceivedFrame && now - openedAt >= stableAfterMs) this.connection.resetFailures();
      if (publisher.paused || now - this.lastFrameAt < heartbeat.silenceMs) return;
      const reason = `no frame for ${heartbeat.silenceMs} ms`;
      setReason(reason);
      this.connection.markSilent(reason);
      socket.terminate();
    }, heartbeat.silenceMs / 20);
    return () => {
      clearInterval(pinging);
      clearInterval(watching);
      unsubscribe();
    };
  }

  private sendOver(socket: WebSocket, frames: readonly string[]): void {
    this.sending = this.sending.then(async () => {
      for (const frame of frames) {
        await this.options.messages.acquire(1, this.closing.signal);
        if (socket.readyState !== WebSocket.OPEN) return;
        socket.send(frame);
      }
    });
    // It rejects only while closing.
    this.sending.catch(() => {});
  }
}

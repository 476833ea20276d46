/**
 * One connection slot to a venue's WebSocket that is kept alive for good: it reconnects with backoff, says hello again
 * with every subscription, notices silence behind an open socket, and records every gap.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Budget } from './budget.ts';
import { FeedLife, type FeedLifeOptions } from './feed-life.ts';
import { reconnectDelayMs } from './reconnect.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** A frame beyond this is no frame of a venue, and ends the connection. */
const FRAME_BYTES_MAX = 16 * 1024 * 1024;
/** How long a connection has to live, and to have said something, before it counts as one that worked. */
const WORKED_AFTER_MS = 5_000;
/** The farewell may take this long. */
const CLOSE_TIMEOUT_MS = 1_000;
const USER_AGENT = 'parallax/0.1';

/** How a venue's sockets show life. */
export interface Heartbeat {
  /** Sent at intervals, to be answered. */
  readonly frame: string;
  readonly everyMs: number;
  /** Without any frame for so long, the connection is taken for dead. */
  readonly silenceMs: number;
}

export interface SocketFeedOptions extends FeedLifeOptions {
  /** `<venue>.<stream>` of what it brings. */
  readonly source: string;
  readonly url: string;
  readonly heartbeat: Heartbeat;
  /** The venue's limit on new connections, shared by its slots. */
  readonly connections: Budget;
  /** The venue's limit on frames of ours, shared by its slots. */
  readonly messages: Budget;
  /** The frames that subscribe to everything this slot is for. */
  readonly hello: () => readonly string[];
  /** Told of every frame, after it is on its way into the log. */
  readonly onFrame?: (frame: Buffer) => void;
  /** Told after each connection was made. */
  readonly onConnected?: () => void;
  readonly workedAfterMs?: number;
}

export class SocketFeed {
  private readonly options: SocketFeedOptions;
  private readonly life: FeedLife;
  private readonly ending = new AbortController();
  private readonly finished: Promise<void>;
  private socket: WebSocket | null = null;
  /** Frames go out one after the other, also those that are added while a hello is under way. */
  private sending: Promise<void> = Promise.resolve();
  /** Last sign of life of the connection at hand. */
  private aliveAt = 0;
  private heard = false;

  /** Begins to connect. */
  constructor(options: SocketFeedOptions) {
    this.options = options;
    this.life = new FeedLife(options);
    this.finished = this.run();
  }

  get connected(): boolean {
    return this.life.connected;
  }

  /** Sends frames over the connection at hand; without one nothing is lost, since the next hello covers them. */
  send(frames: readonly string[]): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.sendOver(this.socket, frames);
  }

  async close(): Promise<void> {
    this.ending.abort();
    const { socket } = this;
    socket?.close(1000);
    const timer = setTimeout(() => socket?.terminate(), CLOSE_TIMEOUT_MS);
    await this.finished;
    clearTimeout(timer);
    this.life.end();
  }

  private async run(): Promise<void> {
    const { signal } = this.ending;
    const { publisher, connections, logger, feed } = this.options;
    while (!signal.aborted) {
      try {
        // While the log takes nothing there is no use in a connection.
        await publisher.whenReady(signal);
        await connections.take(1, signal);
        const reason = await this.connectOnce();
        if (signal.aborted) return;
        this.life.fail(reason);
        await sleep(reconnectDelayMs(this.life.failed), undefined, { signal });
      } catch (error) {
        // Either we are closing, or the log refused for good, which the publisher has told.
        if (!signal.aborted) logger.error({ feed, error }, 'feed ended');
        return;
      }
    }
  }

  /** Resolves with the reason when the connection has ended, or could not be made. */
  private connectOnce(): Promise<string> {
    return new Promise((resolve) => {
      const socket = new WebSocket(this.options.url, {
        handshakeTimeout: CONNECT_TIMEOUT_MS,
        maxPayload: FRAME_BYTES_MAX,
        perMessageDeflate: false,
        // A frame that is no text is kept as it came, and judged by the processors.
        skipUTF8Validation: true,
        headers: { 'user-agent': USER_AGENT },
      });
      this.socket = socket;
      let stop = () => {};
      let reason: string | null = null;
      socket.on('open', () => {
        stop = this.attend(socket, (why) => {
          reason = why;
        });
      });
      socket.on('message', (data: Buffer) => this.take(data));
      socket.on('error', (error) => {
        reason ??= error.message;
      });
      socket.on('close', (code, text) => {
        stop();
        this.socket = null;
        resolve(reason ?? `closed by the venue: ${code} ${text.toString()}`.trim());
      });
      if (this.ending.signal.aborted) socket.terminate();
    });
  }

  private take(frame: Buffer): void {
    this.aliveAt = Date.now();
    this.heard = true;
    this.options.publisher.receive({ source: this.options.source, feed: this.options.feed, payload: frame });
    this.options.onFrame?.(frame);
  }

  /** Says hello and watches over the open connection. Returns how to stop. */
  private attend(socket: WebSocket, because: (reason: string) => void): () => void {
    const { publisher, heartbeat, hello, onConnected, workedAfterMs = WORKED_AFTER_MS } = this.options;
    const openedAt = Date.now();
    this.aliveAt = openedAt;
    this.heard = false;
    this.life.connect();
    this.sending = Promise.resolve();
    this.sendOver(socket, hello());
    onConnected?.();
    const press = (pressed: boolean) => {
      if (socket.readyState !== WebSocket.OPEN) return;
      if (pressed) socket.pause();
      else socket.resume();
      // What came meanwhile waits in the system's buffers; silence is counted anew.
      this.aliveAt = Date.now();
    };
    if (publisher.pressed) press(true);
    const unpress = publisher.onPressure(press);
    const pinging = setInterval(() => this.sendOver(socket, [heartbeat.frame]), heartbeat.everyMs);
    const watching = setInterval(() => {
      const now = Date.now();
      if (this.heard && now - openedAt >= workedAfterMs) this.life.worked();
      if (publisher.pressed || now - this.aliveAt < heartbeat.silenceMs) return;
      const reason = `no frame for ${heartbeat.silenceMs} ms`;
      because(reason);
      this.life.silence(reason);
      socket.terminate();
    }, heartbeat.silenceMs / 20);
    return () => {
      clearInterval(pinging);
      clearInterval(watching);
      unpress();
    };
  }

  private sendOver(socket: WebSocket, frames: readonly string[]): void {
    this.sending = this.sending.then(async () => {
      for (const frame of frames) {
        await this.options.messages.take(1, this.ending.signal);
        if (socket.readyState !== WebSocket.OPEN) return;
        socket.send(frame);
      }
    });
    // The one way in which it fails is that we are closing.
    this.sending.catch(() => {});
  }
}

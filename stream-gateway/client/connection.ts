/** One connection to the stream at a time: connects again after a loss, and notices a silent one. */
import { type ClientSocket, type Clock, type Credentials, protocolOf, type ReceivedFrame } from './protocol.ts';

/** Time limit of an attempt to connect. */
export const CONNECT_MAX_MS = 10_000;
/** Silence after which the client sends a ping. The server sends a frame every 30 s at least. */
export const SILENCE_MS = 35_000;
/** Time for any frame after that ping; then the connection counts as lost. */
export const ANSWER_MAX_MS = 10_000;
/** Delay before the second attempt; it doubles with each failure. */
export const RETRY_FIRST_MS = 500;
export const RETRY_MAX_MS = 30_000;
/** A node that stops asks its clients to spread their next attempts over this time. */
const RESTART_SPREAD_MS = 10_000;
/** A connection that lasted this long counts as a success, after which delays begin at the shortest again. */
const STABLE_MS = 10_000;
const RESTART_CODE = 1012;
const REVOKED_CODE = 4001;
/** The code of a connection that ended without a close frame. */
const LOST_CODE = 1006;

/**
 * `connecting`: an attempt is in progress. `live`: connected. `waiting`: the connection was lost, and another attempt
 * follows. `offline`: not connected and not trying: before `connect`, after `disconnect`, and after the server closed
 * the connection because the key or the session is no longer valid.
 */
export interface ConnectionState {
  readonly name: 'connecting' | 'live' | 'waiting' | 'offline';
  /** Unix ms. */
  readonly since: number;
  /** Code of the close frame that ended the last connection, 1006 without one; null if none ended yet. */
  readonly closeCode: number | null;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly createSocket: (url: string, protocols: string[]) => ClientSocket;
  readonly clock: Clock;
  readonly onState: (state: ConnectionState) => void;
  readonly onFrame: (frame: ReceivedFrame) => void;
}

export class Connection {
  state: ConnectionState;
  private readonly options: ConnectionOptions;
  private credentials: Credentials | null = null;
  private socket: ClientSocket | null = null;
  private failures = 0;
  /** Cancels the timer of the current state. */
  private cancelTimer = () => {};
  private lastFrameAt = 0;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.state = { name: 'offline', since: options.clock.now(), closeCode: null };
  }

  /** Connects now, also if it waits for another attempt. Without effect while it connects or is connected. */
  connect(credentials: Credentials): void {
    this.credentials = credentials;
    if (this.socket) return;
    this.failures = 0;
    this.attempt();
  }

  disconnect(): void {
    this.release();
    this.setState('offline', this.state.closeCode);
  }

  /** Ends the connection as if it was lost. */
  reconnect(): void {
    if (this.socket) this.onLost(LOST_CODE);
  }

  /** Sends a frame if connected: after a loss, subscriptions are sent again anyway. */
  send(frame: object): void {
    if (this.state.name === 'live') this.socket!.send(JSON.stringify(frame));
  }

  private attempt(): void {
    const { clock, createSocket, url } = this.options;
    this.cancelTimer();
    const socket = createSocket(url, [protocolOf(this.credentials!)]);
    this.socket = socket;
    // Frames of an earlier socket can still arrive after it was given up.
    const isCurrent = () => this.socket === socket;
    socket.onopen = () => isCurrent() && this.onOpen();
    socket.onmessage = ({ data }: { readonly data: unknown }) => isCurrent() && this.onMessage(data);
    socket.onclose = ({ code }: { readonly code: number }) => isCurrent() && this.onLost(code);
    // `close` follows.
    socket.onerror = () => {};
    this.cancelTimer = clock.after(CONNECT_MAX_MS, () => this.onLost(LOST_CODE));
    this.setState('connecting', this.state.closeCode);
  }

  private onOpen(): void {
    this.cancelTimer();
    this.lastFrameAt = this.options.clock.now();
    this.awaitFrame(SILENCE_MS);
    this.setState('live', this.state.closeCode);
  }

  private onMessage(data: unknown): void {
    this.lastFrameAt = this.options.clock.now();
    let frame: ReceivedFrame;
    try {
      frame = JSON.parse(String(data)) as ReceivedFrame;
    } catch {
      // No server of the stream sends this, so nothing else of this connection can be relied on.
      this.onLost(LOST_CODE);
      return;
    }
    this.options.onFrame(frame);
  }

  /** One timer for many frames: it is renewed when it ends, not with each frame. */
  private awaitFrame(delayMs: number): void {
    const { clock } = this.options;
    this.cancelTimer = clock.after(delayMs, () => {
      const leftMs = this.lastFrameAt + SILENCE_MS - clock.now();
      if (leftMs > 0) {
        this.awaitFrame(leftMs);
        return;
      }
      const silentAt = this.lastFrameAt;
      this.send({ type: 'ping' });
      this.cancelTimer = clock.after(ANSWER_MAX_MS, () => {
        if (this.lastFrameAt === silentAt) this.onLost(LOST_CODE);
        else this.awaitFrame(Math.max(1, this.lastFrameAt + SILENCE_MS - clock.now()));
      });
    });
  }

  private onLost(code: number): void {
    const { clock } = this.options;
    if (this.state.name === 'live' && clock.now() - this.state.since >= STABLE_MS) this.failures = 0;
    this.release();
    if (code === REVOKED_CODE) {
      this.setState('offline', code);
      return;
    }
    const longest = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** this.failures);
    const delay = code === RESTART_CODE ? RESTART_SPREAD_MS * clock.random() : longest * (0.5 + clock.random() / 2);
    this.failures += 1;
    this.cancelTimer = clock.after(delay, () => this.attempt());
    this.setState('waiting', code);
  }

  private release(): void {
    this.cancelTimer();
    this.cancelTimer = () => {};
    const { socket } = this;
    this.socket = null;
    socket?.close();
  }

  private setState(name: ConnectionState['name'], closeCode: number | null): void {
    this.state = { name, since: this.options.clock.now(), closeCode };
    this.options.onState(this.state);
  }
}

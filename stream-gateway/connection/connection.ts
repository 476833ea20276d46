/** One socket: its subscriptions, its send queue, its signs of life. Knows nothing of channels' meaning. */
import type { WebSocket } from '#infra/uws';
import { CLOSE, type ServerFrame } from '#schemas/stream/frames';
import { addressTo, type EncodedFrame } from '../fanout/event-frame.ts';
import {
  CONTROL_FRAMES_WAITING_MAX,
  CORK_BYTES,
  DROPPING_MAX_MS,
  SEND_QUEUE_BYTES_MAX,
  SEND_QUEUE_BYTES_RECOVERED,
  SOCKET_BUFFER_BYTES,
} from './limits.ts';
import { type Outgoing, SendQueue } from './send-queue.ts';
import type { Subscription } from './subscription.ts';

/** Who is at the other end. */
export interface Principal {
  readonly keyId: string;
  readonly orgId: string;
  readonly scopes: readonly string[];
  readonly sandbox: boolean;
}

/** What uWebSockets.js keeps with a socket. */
export interface SocketData {
  readonly principal: Principal;
  connection: Connection | null;
}

/** What a connection asks of its socket. */
export type Socket = Pick<WebSocket<SocketData>, 'cork' | 'send' | 'getBufferedAmount' | 'ping' | 'end'>;

export interface ConnectionCounters {
  sent(frames: number): void;
  dropped(frames: number): void;
}

export interface ConnectionOptions {
  readonly socket: Socket;
  readonly principal: Principal;
  readonly counters: ConnectionCounters;
  /** Wall time, unix ms. */
  readonly now: () => number;
}

type Reason = (typeof CLOSE)[keyof typeof CLOSE];

export class Connection {
  readonly principal: Principal;
  readonly subscriptions = new Map<string, Subscription>();
  /** Wall time of the last frame of any kind from the client. */
  lastSeenMs: number;
  lastPingMs: number;
  lastPongMs: number;
  /** Set when the socket is gone; nothing may touch it from then on. */
  closed = false;
  private readonly options: ConnectionOptions;
  private readonly queue = new SendQueue(SEND_QUEUE_BYTES_MAX);
  /** Events gathered since the last flush: a flush sends them under one cork. */
  private outbox: Outgoing[] = [];
  private sentFrames = 0;
  /** Bytes that may be sent before the socket is asked again how much it holds. */
  private corkBytesLeft = 0;
  private droppingSinceMs: number | null = null;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.principal = options.principal;
    const nowMs = options.now();
    this.lastSeenMs = nowMs;
    this.lastPingMs = nowMs;
    this.lastPongMs = nowMs;
  }

  /** Bytes that wait for the client, here and in the socket. */
  get waitingBytes(): number {
    return this.closed ? 0 : this.queue.bytes + this.options.socket.getBufferedAmount();
  }

  /** Notes any frame from the client as a sign of life. */
  seen(): void {
    this.lastSeenMs = this.options.now();
  }

  /** Gathers an event; true when this connection had nothing gathered and now waits for a flush. */
  gather(frame: EncodedFrame, subscription: Subscription): boolean {
    this.outbox.push({ frame, subscription });
    return this.outbox.length === 1;
  }

  /** Sends what was gathered. */
  flush(): void {
    if (this.outbox.length > 0) this.deliver([]);
  }

  /** Sends a frame that is no event, in its place among the events. */
  tell(frame: ServerFrame): void {
    this.deliver([{ control: Buffer.from(JSON.stringify(frame)) }]);
  }

  /** Sends what was gathered and then these, or queues what the socket does not take. */
  deliver(items: readonly Outgoing[]): void {
    if (this.closed) return;
    const gathered = this.outbox;
    this.outbox = [];
    this.corked(() => {
      for (const item of gathered) this.offer(item);
      for (const item of items) this.offer(item);
    });
  }

  /** The socket took what it had: goes on with the queue. */
  drained(): void {
    if (!this.closed) this.corked(() => {});
  }

  ping(nowMs: number): void {
    this.lastPingMs = nowMs;
    this.options.socket.ping();
  }

  end(reason: Reason): void {
    if (!this.closed) this.options.socket.end(reason.code, reason.reason);
  }

  /** Ends a connection that has been dropping for too long; forgets the dropping once the queue fell below half. */
  judge(nowMs: number): void {
    if (this.closed || this.droppingSinceMs === null) return;
    if (this.waitingBytes < SEND_QUEUE_BYTES_RECOVERED) this.droppingSinceMs = null;
    else if (nowMs - this.droppingSinceMs >= DROPPING_MAX_MS) this.end(CLOSE.overflow);
  }

  /** Sends under one cork, what waits in the queue first, and counts and judges once. */
  private corked(send: () => void): void {
    this.corkBytesLeft = 0;
    this.options.socket.cork(() => {
      while (!this.queue.empty && this.socketTakesMore()) this.send(this.queue.shift()!);
      send();
    });
    if (this.sentFrames > 0) this.options.counters.sent(this.sentFrames);
    this.sentFrames = 0;
    const tooManyAnswers = this.queue.controls > CONTROL_FRAMES_WAITING_MAX || this.queue.bytes > SEND_QUEUE_BYTES_MAX;
    if (tooManyAnswers) this.end(CLOSE.overflow);
    else this.judge(this.options.now());
  }

  /**
   * What the cork itself holds, 16 KiB at most, is not counted: it is on its way when the cork ends. Until it is full the
   * buffered amount does not change, so it is asked for once for so many bytes and not for every frame.
   */
  private socketTakesMore(): boolean {
    if (this.corkBytesLeft > 0) return true;
    if (this.options.socket.getBufferedAmount() >= SOCKET_BUFFER_BYTES) return false;
    this.corkBytesLeft = CORK_BYTES;
    return true;
  }

  private offer(item: Outgoing): void {
    if (this.queue.empty && this.socketTakesMore()) {
      this.send(item);
      return;
    }
    const dropped = this.queue.push(item, this.options.socket.getBufferedAmount());
    if (dropped === 0) return;
    this.options.counters.dropped(dropped);
    this.droppingSinceMs ??= this.options.now();
  }

  private send(item: Outgoing): void {
    const { socket } = this.options;
    if ('control' in item) {
      socket.send(item.control, false);
      this.corkBytesLeft -= item.control.length;
      return;
    }
    const { frame, subscription } = item;
    if (subscription.closed) return;
    if (subscription.lag) {
      const lagged: ServerFrame = { type: 'lagged', subscription_id: subscription.id, ...subscription.lag };
      subscription.lag = null;
      socket.send(JSON.stringify(lagged), false);
    }
    socket.send(addressTo(frame, subscription.idBytes), false);
    this.corkBytesLeft -= frame.bytes.length;
    this.sentFrames += 1;
  }
}

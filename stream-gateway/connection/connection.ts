/** One socket: its subscriptions, its send queue, its signs of life. Knows nothing of channels' meaning. */
import type { WebSocket } from '#infra/uws';
import { CLOSE, type ServerFrame } from '#schemas/stream/frames';
import { addressTo, type EncodedFrame } from '../fanout/event-frame.ts';
import { DROPPING_MAX_MS, SEND_QUEUE_BYTES_MAX, SEND_QUEUE_BYTES_RECOVERED, SOCKET_BUFFER_BYTES } from './limits.ts';
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

export interface ConnectionCounters {
  sent(frames: number): void;
  dropped(frames: number): void;
}

type Reason = (typeof CLOSE)[keyof typeof CLOSE];

export class Connection {
  readonly principal: Principal;
  readonly subscriptions = new Map<string, Subscription>();
  /** Wall time of the last frame of any kind from the client. */
  lastSeenMs: number;
  lastPingMs: number;
  lastPongMs: number;
  closed = false;
  private readonly socket: WebSocket<SocketData>;
  private readonly counters: ConnectionCounters;
  private readonly queue = new SendQueue(SEND_QUEUE_BYTES_MAX);
  /** Frames gathered since the last flush: a flush sends them under one cork. */
  private outbox: Outgoing[] = [];
  private droppingSinceMs: number | null = null;

  constructor(socket: WebSocket<SocketData>, principal: Principal, nowMs: number, counters: ConnectionCounters) {
    this.socket = socket;
    this.principal = principal;
    this.counters = counters;
    this.lastSeenMs = nowMs;
    this.lastPingMs = nowMs;
    this.lastPongMs = nowMs;
  }

  /** Bytes that wait for the client, here and in the socket. */
  get waitingBytes(): number {
    return this.closed ? 0 : this.queue.bytes + this.socket.getBufferedAmount();
  }

  /** Gathers an event; true when this connection had nothing gathered and now waits for a flush. */
  gather(frame: EncodedFrame, subscription: Subscription): boolean {
    this.outbox.push({ frame, subscription });
    return this.outbox.length === 1;
  }

  /** Sends what was gathered. */
  flush(nowMs: number): void {
    const items = this.outbox;
    if (items.length === 0 || this.closed) return;
    this.outbox = [];
    this.socket.cork(() => {
      for (const item of items) this.offer(item);
    });
    this.judge(nowMs);
  }

  /** Sends a frame that is no event, in its place among the events. */
  tell(frame: ServerFrame): void {
    if (this.closed) return;
    const items: Outgoing[] = [...this.outbox, { control: Buffer.from(JSON.stringify(frame)) }];
    this.outbox = [];
    this.socket.cork(() => {
      for (const item of items) this.offer(item);
    });
  }

  /** The socket took what it had: goes on with the queue. */
  drained(nowMs: number): void {
    if (this.closed) return;
    this.socket.cork(() => {
      while (!this.queue.empty && this.socket.getBufferedAmount() < SOCKET_BUFFER_BYTES) {
        const item = this.queue.shift();
        if (item) this.send(item);
      }
    });
    this.judge(nowMs);
  }

  ping(nowMs: number): void {
    this.lastPingMs = nowMs;
    this.socket.ping();
  }

  end(reason: Reason): void {
    if (!this.closed) this.socket.end(reason.code, reason.reason);
  }

  private offer(item: Outgoing): void {
    if (this.queue.empty && this.socket.getBufferedAmount() < SOCKET_BUFFER_BYTES) {
      this.send(item);
      return;
    }
    const dropped = this.queue.push(item, this.socket.getBufferedAmount());
    if (dropped > 0) this.counters.dropped(dropped);
    if (dropped > 0 && this.droppingSinceMs === null) this.droppingSinceMs = Date.now();
  }

  private send(item: Outgoing): void {
    if ('control' in item) {
      this.socket.send(item.control, false);
      return;
    }
    const { frame, subscription } = item;
    if (subscription.closed) return;
    if (subscription.lag) {
      const lagged = { type: 'lagged', subscription_id: subscription.id, ...subscription.lag } as const;
      subscription.lag = null;
      this.socket.send(JSON.stringify(lagged), false);
    }
    this.socket.send(addressTo(frame, subscription.idBytes), false);
    this.counters.sent(1);
  }

  /** Ends a connection that has been dropping for too long; forgets the dropping once the queue fell below half. */
  judge(nowMs: number): void {
    if (this.droppingSinceMs === null) return;
    if (this.waitingBytes < SEND_QUEUE_BYTES_RECOVERED) this.droppingSinceMs = null;
    else if (nowMs - this.droppingSinceMs >= DROPPING_MAX_MS) this.end(CLOSE.overflow);
  }
}

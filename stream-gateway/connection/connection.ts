/** One socket: its subscriptions, its send queue, its signs of life. Knows nothing of channels' meaning. */
import type { WebSocket } from '#infra/uws';
import { CLOSE, type ServerFrame } from '#schemas/stream/frames';
import { addressTo, type EncodedFrame } from './event-frame.ts';
import {
  CONTROL_FRAMES_WAITING_MAX,
  CORK_BYTES,
  DROPPING_MAX_MS,
  SEND_QUEUE_BYTES_MAX,
  SEND_QUEUE_BYTES_RECOVERED,
  SOCKET_BUFFER_BYTES,
  TOO_SLOW_MAX_MS,
} from './limits.ts';
import type { MessageAllowance } from './message-allowance.ts';
import { noteDropped, type Outgoing, SendQueue } from './send-queue.ts';
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
  /** What its organization may still be sent. */
  readonly allowance: MessageAllowance;
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
  private readonly socket: Socket;
  private readonly queue = new SendQueue(SEND_QUEUE_BYTES_MAX);
  /** Events gathered since the last flush, which sends them under one cork; `receivers` names the subscription of each run. */
  private runs: (readonly EncodedFrame[])[] = [];
  private receivers: Subscription[] = [];
  /** The frame that `tell` is about to send. */
  private control: Buffer | null = null;
  private sentFrames = 0;
  /** Bytes that may be sent before the socket is asked again how much it holds. */
  private corkBytesLeft = 0;
  private droppingSinceMs: number | null = null;
  /** Whether it was told that the quota of its organization is used up, since it last got an event. */
  private isToldOfQuota = false;
  /** Since when it is known to be too slow; from then on it is sent no event, and only waits to be told and ended. */
  private tooSlowSinceMs: number | null = null;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.socket = options.socket;
    this.principal = options.principal;
    const nowMs = options.now();
    this.lastSeenMs = nowMs;
    this.lastPingMs = nowMs;
    this.lastPongMs = nowMs;
  }

  /** Bytes that wait for the client, here and in the socket. */
  get waitingBytes(): number {
    return this.closed ? 0 : this.queue.bytes + this.socket.getBufferedAmount();
  }

  /** Whether dropping went on for too long: it gets no more events, and ends as soon as its client reads again. */
  get isTooSlow(): boolean {
    return this.tooSlowSinceMs !== null;
  }

  /** Notes any frame from the client as a sign of life. */
  seen(): void {
    this.lastSeenMs = this.options.now();
  }

  /**
   * Gathers events of one channel, in order; the run may be shared, and what the subscription has had already is left
   * out. True when this connection had nothing gathered and now waits for a flush.
   */
  gather(run: readonly EncodedFrame[], subscription: Subscription): boolean {
    this.runs.push(run);
    this.receivers.push(subscription);
    return this.runs.length === 1;
  }

  /** Sends what was gathered, or queues what the socket does not take. */
  flush(): void {
    if (this.runs.length > 0) this.corked();
  }

  /** Sends a frame that is no event, in its place among the events. */
  tell(frame: ServerFrame): void {
    this.control = Buffer.from(JSON.stringify(frame));
    this.corked();
  }

  /** The socket took what it had: goes on with the queue. */
  drained(): void {
    this.corked();
  }

  ping(nowMs: number): void {
    this.lastPingMs = nowMs;
    this.socket.ping();
  }

  end(reason: Reason): void {
    if (!this.closed) this.socket.end(reason.code, reason.reason);
  }

  /**
   * Finds a connection too slow that has been dropping for too long, and forgets the dropping once the queue fell below
   * half. One that is too slow is ended when its socket is empty: a close frame behind bytes that nobody reads would be
   * given up with them.
   */
  judge(nowMs: number): void {
    if (this.closed || this.droppingSinceMs === null) return;
    if (this.tooSlowSinceMs === null) {
      if (this.waitingBytes < SEND_QUEUE_BYTES_RECOVERED) {
        this.droppingSinceMs = null;
        return;
      }
      if (nowMs - this.droppingSinceMs < DROPPING_MAX_MS) return;
      this.tooSlowSinceMs = nowMs;
      // What still waits is old by the time it could be sent, and the client resumes from what it got in any case.
      this.options.counters.dropped(this.queue.dropEvents());
    }
    const isEmpty = this.queue.empty && this.socket.getBufferedAmount() === 0;
    if (isEmpty || nowMs - this.tooSlowSinceMs >= TOO_SLOW_MAX_MS) this.overflow();
  }

  /** Tells what waits that is no event, then what each subscription missed, and ends. */
  private overflow(): void {
    this.socket.cork(() => {
      for (let item = this.queue.shift(); item; item = this.queue.shift()) this.send(item);
      for (const subscription of this.subscriptions.values()) this.tellLag(subscription);
    });
    this.end(CLOSE.overflow);
  }

  /** Sends under one cork, and counts and judges once. */
  private corked(): void {
    if (this.closed) return;
    this.corkBytesLeft = 0;
    this.socket.cork(this.sendAll);
    if (this.sentFrames > 0) this.options.counters.sent(this.sentFrames);
    this.sentFrames = 0;
    // A connection that keeps up has nothing to be judged for.
    if (this.queue.empty && this.droppingSinceMs === null) return;
    const tooManyAnswers = this.queue.controls > CONTROL_FRAMES_WAITING_MAX || this.queue.bytes > SEND_QUEUE_BYTES_MAX;
    if (tooManyAnswers) this.end(CLOSE.overflow);
    else this.judge(this.options.now());
  }

  /** What waits in the queue, then what was gathered, then what is told. */
  private readonly sendAll = (): void => {
    while (!this.queue.empty && this.socketTakesMore()) this.send(this.queue.shift()!);
    const { runs, receivers, control } = this;
    this.runs = [];
    this.receivers = [];
    this.control = null;
    for (let nth = 0; nth < runs.length; nth += 1) this.sendRun(runs[nth]!, receivers[nth]!);
    if (control) this.offer({ control });
  };

  /** The hot path: nothing is allocated and nothing asked per event as long as the socket takes them. */
  private sendRun(run: readonly EncodedFrame[], subscription: Subscription): void {
    if (subscription.closed) return;
    let nth = 0;
    while (nth < run.length && isKnown(run[nth]!, subscription)) nth += 1;
    if (this.isTooSlow) {
      this.options.counters.dropped(run.length - nth);
      for (; nth < run.length; nth += 1) noteDropped(subscription, run[nth]!.seq);
      return;
    }
    if (this.queue.empty && !subscription.lag) {
      const { socket } = this;
      const began = nth;
      const end = Math.min(run.length, nth + this.options.allowance.left);
      for (; nth < end && (this.corkBytesLeft > 0 || this.socketTakesMore()); nth += 1) {
        const frame = run[nth]!;
        addressTo(frame, subscription.idWords);
        socket.send(frame.data, false);
        this.corkBytesLeft -= frame.size;
      }
      if (nth > began) this.noteSent(nth - began);
    }
    for (; nth < run.length; nth += 1) this.offer({ frame: run[nth]!, subscription });
  }

  /**
   * What the cork itself holds, 16 KiB at most, is not counted: it is on its way when the cork ends. Until it is full the
   * buffered amount does not change, so it is asked for once for so many bytes and not for every frame.
   */
  private socketTakesMore(): boolean {
    if (this.corkBytesLeft > 0) return true;
    if (this.socket.getBufferedAmount() >= SOCKET_BUFFER_BYTES) return false;
    this.corkBytesLeft = CORK_BYTES;
    return true;
  }

  private offer(item: Outgoing): void {
    if (this.queue.empty && this.socketTakesMore()) {
      this.send(item);
      return;
    }
    const dropped = this.queue.push(item, this.socket.getBufferedAmount());
    if (dropped === 0) return;
    this.options.counters.dropped(dropped);
    this.droppingSinceMs ??= this.options.now();
  }

  private send(item: Outgoing): void {
    const { socket } = this;
    if ('control' in item) {
      socket.send(item.control, false);
      this.corkBytesLeft -= item.control.length;
      return;
    }
    const { frame, subscription } = item;
    if (subscription.closed) return;
    if (this.options.allowance.left <= 0) {
      this.withhold(subscription, frame.seq);
      return;
    }
    this.tellLag(subscription);
    addressTo(frame, subscription.idWords);
    socket.send(frame.data, false);
    this.corkBytesLeft -= frame.size;
    this.noteSent(1);
  }

  private noteSent(frames: number): void {
    const { allowance } = this.options;
    allowance.left -= frames;
    allowance.sent += frames;
    this.sentFrames += frames;
    this.isToldOfQuota = false;
  }

  /** An event beyond the quota: it counts as dropped, and the first of them is told of. */
  private withhold(subscription: Subscription, seq: number): void {
    noteDropped(subscription, seq);
    this.options.counters.dropped(1);
    if (this.isToldOfQuota) return;
    this.isToldOfQuota = true;
    const error: ServerFrame = { type: 'error', error: 'quota_exceeded' };
    this.socket.send(JSON.stringify(error), false);
  }

  private tellLag(subscription: Subscription): void {
    if (!subscription.lag) return;
    const lagged: ServerFrame = { type: 'lagged', subscription_id: subscription.id, ...subscription.lag };
    subscription.lag = null;
    this.socket.send(JSON.stringify(lagged), false);
  }
}

/** Whether the subscription has had the frame: live delivery and replay overlap, and the log may hold a frame twice. */
function isKnown({ offset, seq }: EncodedFrame, { afterOffset, afterSeq }: Subscription): boolean {
  return offset <= afterOffset || seq <= afterSeq;
}

/** One client socket: its subscriptions, its send queue and its liveness. Does not know what channels mean. */

import { CLOSE, type ServerFrame } from '#schemas/stream/frames';
import { type EncodedFrame, writeSubscriptionId } from './event-frame.ts';
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
import type { Receiver } from './receiver.ts';
import { type Outgoing, recordDropped, SendQueue } from './send-queue.ts';
import type { WebSocket } from './uws.ts';

/** The authenticated client. */
export interface Principal {
  readonly keyId: string;
  readonly orgId: string;
  readonly scopes: readonly string[];
  readonly sandbox: boolean;
  /** Digest of the portal session that the client connected with; null for a token. */
  readonly session: string | null;
}

/** The user data that uWebSockets.js stores with a socket. */
export interface SocketData {
  readonly principal: Principal;
  connection: Connection | null;
}

/** The part of a socket that a connection uses. */
export type Socket = Pick<WebSocket<SocketData>, 'cork' | 'send' | 'getBufferedAmount' | 'ping' | 'end'>;

/** Why an event is dropped: the client reads too slowly, or the quota of its organization is used up. */
export type DropReason = 'slow' | 'quota';

export interface ConnectionCounters {
  sent(frames: number): void;
  dropped(frames: number, reason: DropReason): void;
}

export interface ConnectionOptions {
  readonly socket: Socket;
  readonly principal: Principal;
  readonly counters: ConnectionCounters;
  /** How many event frames its organization may still be sent. */
  readonly allowance: MessageAllowance;
  /** Wall time, unix ms. */
  readonly now: () => number;
}

type CloseReason = (typeof CLOSE)[keyof typeof CLOSE];

const QUOTA_EXCEEDED: ServerFrame = { type: 'error', error: 'quota_exceeded' };

export class Connection {
  readonly principal: Principal;
  readonly subscriptions = new Map<string, Receiver>();
  /** Wall time of the last frame of any kind from the client. */
  lastSeenMs: number;
  lastPingMs: number;
  lastPongMs: number;
  /** True once the socket is closed; it must not be used any more. */
  closed = false;
  private readonly options: ConnectionOptions;
  private readonly socket: Socket;
  private readonly queue = new SendQueue(SEND_QUEUE_BYTES_MAX);
  /**
   * Events buffered since the last flush, which sends them under one cork; `receivers` holds the subscription of each
   * run.
   */
  private runs: (readonly EncodedFrame[])[] = [];
  private receivers: Receiver[] = [];
  /** The frame that `sendControl` is about to send. */
  private control: Buffer | null = null;
  private sentFrames = 0;
  /** Bytes that may be sent before the socket's buffered amount is read again. */
  private corkBytesLeft = 0;
  private droppingSinceMs: number | null = null;
  /** True if the client was sent `quota_exceeded` since its last event. */
  private isQuotaErrorSent = false;
  /** Since when the client is too slow; from then on it is sent no event, only what it missed and the close frame. */
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

  /** Bytes that wait for the client, in the queue and in the socket. */
  get waitingBytes(): number {
    return this.closed ? 0 : this.queue.bytes + this.socket.getBufferedAmount();
  }

  /** True if dropping lasted too long: the client gets no more events, and is closed as soon as it reads again. */
  get isTooSlow(): boolean {
    return this.tooSlowSinceMs !== null;
  }

  /** True if an event would be sent now, neither queued nor dropped. */
  get acceptsEvents(): boolean {
    if (this.closed || this.isTooSlow || !this.queue.empty || this.options.allowance.left <= 0) return false;
    return this.socket.getBufferedAmount() < SOCKET_BUFFER_BYTES;
  }

  /** Sends the error `quota_exceeded` if events wait for the quota, once until the next event is sent. */
  reportUsedQuota(): void {
    if (this.options.allowance.left > 0 || this.isQuotaErrorSent) return;
    this.isQuotaErrorSent = true;
    this.sendControl(QUOTA_EXCEEDED);
  }

  /** Records that a frame of any kind came from the client. */
  markAlive(): void {
    this.lastSeenMs = this.options.now();
  }

  /**
   * Buffers events of one channel, in order. The run may be shared; events that the subscription was already sent are
   * skipped. True if nothing was buffered before, so that this connection now waits for a flush.
   */
  bufferRun(run: readonly EncodedFrame[], subscription: Receiver): boolean {
    this.runs.push(run);
    this.receivers.push(subscription);
    return this.runs.length === 1;
  }

  /** Sends the buffered events, or queues what the socket does not accept. */
  flush(): void {
    if (this.runs.length > 0) this.sendCorked(this.sendAll);
  }

  /**
   * Sends events of one channel, in order, as far as `acceptsEvents` holds. Returns how many: the caller sends the rest
   * later, so that none of them is dropped.
   */
  sendAccepted(run: readonly EncodedFrame[], subscription: Receiver): number {
    if (!this.acceptsEvents) return 0;
    let sent = 0;
    this.sendCorked(() => {
      sent = this.sendFrom(run, 0, subscription);
    });
    return sent;
  }

  /** Sends a frame that is no event, in order with the events. */
  sendControl(frame: ServerFrame): void {
    this.control = Buffer.from(JSON.stringify(frame));
    this.sendCorked(this.sendAll);
  }

  /** Called when the socket has room again: sends from the queue. */
  onDrain(): void {
    this.sendCorked(this.sendAll);
  }

  ping(nowMs: number): void {
    this.lastPingMs = nowMs;
    this.socket.ping();
  }

  end(reason: CloseReason): void {
    if (!this.closed) this.socket.end(reason.code, reason.reason);
  }

  /**
   * Marks a connection as too slow if it has been dropping for too long, and ends the dropping state once less than
   * `SEND_QUEUE_BYTES_RECOVERED` waits in the queue and in the socket. A connection that is too slow is closed when its
   * socket is empty: a close frame behind bytes that nobody reads would be discarded with them.
   */
  checkTooSlow(nowMs: number): void {
    if (this.closed || this.droppingSinceMs === null) return;
    if (this.tooSlowSinceMs === null) {
      if (this.waitingBytes < SEND_QUEUE_BYTES_RECOVERED) {
        this.droppingSinceMs = null;
        return;
      }
      if (nowMs - this.droppingSinceMs < DROPPING_MAX_MS) return;
      this.tooSlowSinceMs = nowMs;
      // What still waits would be old when it is sent, and the client resumes from its last event anyway.
      this.options.counters.dropped(this.queue.dropEvents(), 'slow');
    }
    const isEmpty = this.queue.empty && this.socket.getBufferedAmount() === 0;
    if (isEmpty || nowMs - this.tooSlowSinceMs >= TOO_SLOW_MAX_MS) this.closeTooSlow();
  }

  /** Sends the waiting frames that are no events, then what each subscription missed, and closes. */
  private closeTooSlow(): void {
    this.socket.cork(() => {
      for (let item = this.queue.shift(); item; item = this.queue.shift()) this.send(item);
      for (const subscription of this.subscriptions.values()) this.sendLagged(subscription);
    });
    this.end(CLOSE.overflow);
  }

  /** Sends under one cork, then counts frames and checks for slowness once. */
  private sendCorked(send: () => void): void {
    if (this.closed) return;
    this.corkBytesLeft = 0;
    this.socket.cork(send);
    if (this.sentFrames > 0) this.options.counters.sent(this.sentFrames);
    this.sentFrames = 0;
    // A connection that keeps up needs no check.
    if (this.queue.empty && this.droppingSinceMs === null) return;
    const isOverLimit = this.queue.controls > CONTROL_FRAMES_WAITING_MAX || this.queue.bytes > SEND_QUEUE_BYTES_MAX;
    if (isOverLimit) this.end(CLOSE.overflow);
    else this.checkTooSlow(this.options.now());
  }

  /** Sends the queue, then the buffered events, then the control frame. */
  private readonly sendAll = (): void => {
    while (!this.queue.empty && this.socketAcceptsMore()) this.send(this.queue.shift()!);
    const { runs, receivers, control } = this;
    this.runs = [];
    this.receivers = [];
    this.control = null;
    for (let nth = 0; nth < runs.length; nth += 1) this.sendRun(runs[nth]!, receivers[nth]!);
    if (control) this.sendOrQueue({ control });
  };

  /** The hot path: nothing is allocated and nothing looked up per event while the socket accepts them. */
  private sendRun(run: readonly EncodedFrame[], subscription: Receiver): void {
    if (subscription.closed) return;
    let nth = 0;
    while (nth < run.length && subscription.progress.includes(run[nth]!)) nth += 1;
    if (this.isTooSlow) {
      this.options.counters.dropped(run.length - nth, 'slow');
      for (; nth < run.length; nth += 1) recordDropped(subscription, run[nth]!.seq);
      return;
    }
    if (this.queue.empty && !subscription.dropped) nth = this.sendFrom(run, nth, subscription);
    for (; nth < run.length; nth += 1) this.sendOrQueue({ frame: run[nth]!, subscription });
  }

  /** Sends events from index `first` on, as far as the socket and the quota allow. Returns the index after the last. */
  private sendFrom(run: readonly EncodedFrame[], first: number, subscription: Receiver): number {
    const { socket } = this;
    const end = Math.min(run.length, first + this.options.allowance.left);
    let nth = first;
    for (; nth < end && (this.corkBytesLeft > 0 || this.socketAcceptsMore()); nth += 1) {
      const frame = run[nth]!;
      writeSubscriptionId(frame, subscription.idWords);
      socket.send(frame.data, false);
      this.corkBytesLeft -= frame.size;
    }
    if (nth > first) this.recordSent(nth - first);
    return nth;
  }

  /**
   * True if the socket accepts more. Bytes in the cork, 16 KiB at most, are not counted: they are sent when the cork
   * ends. Until it is full the buffered amount does not change, so it is read once per cork and not for every frame.
   */
  private socketAcceptsMore(): boolean {
    if (this.corkBytesLeft > 0) return true;
    if (this.socket.getBufferedAmount() >= SOCKET_BUFFER_BYTES) return false;
    this.corkBytesLeft = CORK_BYTES;
    return true;
  }

  private sendOrQueue(item: Outgoing): void {
    if (this.queue.empty && this.socketAcceptsMore()) {
      this.send(item);
      return;
    }
    const dropped = this.queue.push(item, this.socket.getBufferedAmount());
    if (dropped === 0) return;
    this.options.counters.dropped(dropped, 'slow');
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
      this.dropOverQuota(subscription, frame.seq);
      return;
    }
    this.sendLagged(subscription);
    writeSubscriptionId(frame, subscription.idWords);
    socket.send(frame.data, false);
    this.corkBytesLeft -= frame.size;
    this.recordSent(1);
  }

  private recordSent(frames: number): void {
    const { allowance } = this.options;
    allowance.left -= frames;
    allowance.sent += frames;
    this.sentFrames += frames;
    this.isQuotaErrorSent = false;
  }

  /** Drops an event beyond the quota and counts it; the first one is reported by an error frame. */
  private dropOverQuota(subscription: Receiver, seq: number): void {
    recordDropped(subscription, seq);
    this.options.counters.dropped(1, 'quota');
    if (this.isQuotaErrorSent) return;
    this.isQuotaErrorSent = true;
    this.socket.send(JSON.stringify(QUOTA_EXCEEDED), false);
  }

  private sendLagged(subscription: Receiver): void {
    if (!subscription.dropped) return;
    const lagged: ServerFrame = { type: 'lagged', subscription_id: subscription.id, ...subscription.dropped };
    subscription.dropped = null;
    this.socket.send(JSON.stringify(lagged), false);
  }
}

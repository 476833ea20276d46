/** One subscription across any number of connections: continues from the last event that was passed on. */
import { Delivery, type MessageHandler } from './delivery.ts';
import type { ReceivedFrame, StreamEvent } from './protocol.ts';

type ErrorFrame = Extract<ReceivedFrame, { type: 'error' }>;
type SubscribedFrame = Extract<ReceivedFrame, { type: 'subscribed' }>;
/** Frames that have a subscription's id, without its acknowledgements. */
export type SubscriptionFrame = Exclude<Extract<ReceivedFrame, { subscription_id: string }>, SubscribedFrame>;

/** What a subscription needs of its client. */
export interface SubscriptionHost {
  /** Sends a subscribe frame, now or after the reply to an earlier one of the channel. */
  request(subscription: Subscription): void;
  unsubscribe(id: string): void;
  /** Requests it again after some seconds. */
  requestLater(subscription: Subscription): void;
  /** It has ended: nothing of it is used any more. */
  remove(subscription: Subscription): void;
}

export interface SubscribeOptions {
  /** For example `svc:stream:trade:venue_b`; see `channelName`. */
  readonly channel: string;
  /** A cursor to continue from, or `earliest` for everything that is retained; by default the next event. */
  readonly since?: string;
  /** Messages that may wait for the handler; 1,000 by default. */
  readonly queueMax?: number;
}

const QUEUE_MAX = 1_000;

/** A subscription of the client. */
export class Subscription {
  readonly channel: string;
  /** Id on the current connection; null while the server has not accepted it there. */
  id: string | null = null;
  private readonly host: SubscriptionHost;
  private readonly delivery: Delivery;
  private position: string | null;
  private epoch: string | null = null;
  private seq = 0;
  /** True from a gap until the next event, whose number does not continue the last one. */
  private isJumpReported = false;
  private hasEnded = false;
  /** True from a full queue until it is empty. */
  private isPaused = false;

  constructor(
    { channel, since, queueMax = QUEUE_MAX }: SubscribeOptions,
    handler: MessageHandler,
    host: SubscriptionHost,
  ) {
    this.channel = channel;
    this.position = since ?? null;
    this.host = host;
    this.delivery = new Delivery(handler, queueMax, () => this.onRoom());
  }

  /**
   * The position after the newest event that the handler got or that waits for it; null until it is known. A new
   * subscription with it as `since` continues there.
   */
  get cursor(): string | null {
    return this.position;
  }

  /** True if the server should have it now. */
  get isWanted(): boolean {
    return !this.hasEnded && !this.isPaused;
  }

  /** Ends the subscription; its handler is called no more. */
  close(): void {
    if (this.hasEnded) return;
    this.release();
    this.delivery.close();
    this.end();
  }

  /** Called with the acknowledgement of the server. */
  accept({ subscription_id: id, ...message }: SubscribedFrame): void {
    this.id = id;
    this.position ??= message.cursor;
    if (!this.delivery.push(message)) this.pause();
  }

  /** Called when the server refused it. */
  refuse({ error }: ErrorFrame): void {
    // With too many replays in progress, the same subscribe succeeds later.
    const isFinal = error !== 'quota_exceeded';
    if (isFinal) {
      this.end();
      this.delivery.pushLast({ type: 'error', error, isFinal });
    } else if (this.delivery.push({ type: 'error', error, isFinal })) this.host.requestLater(this);
    else this.isPaused = true;
  }

  receive(frame: SubscriptionFrame): void {
    switch (frame.type) {
      case 'event': {
        const { subscription_id: _, ...event } = frame;
        this.receiveEvent(event);
        return;
      }
      case 'gap':
        if (!this.passGap(frame.from, frame.to, frame.refill)) return;
        this.position = frame.to;
        this.isJumpReported = true;
        return;
      case 'lagged': {
        const { fromSeq, toSeq, dropped } = frame;
        // The events are still in the log: they are read again from the last one that was passed on.
        this.release();
        if (this.delivery.push({ type: 'lagged', fromSeq, toSeq, dropped })) this.host.request(this);
        else this.isPaused = true;
        return;
      }
      case 'status': {
        const { state, since } = frame;
        if (!this.delivery.push({ type: 'status', state, since })) this.pause();
        return;
      }
    }
  }

  private receiveEvent(event: StreamEvent): void {
    const { epoch, seq, cursor } = event;
    if (epoch === this.epoch) {
      if (seq <= this.seq) return;
      // The server reports every loss; this guards against one that it does not know of.
      const isJump = seq > this.seq + 1 && !this.isJumpReported;
      if (isJump && !this.passGap(this.position!, cursor, null)) return;
    }
    if (!this.delivery.push(event)) {
      this.pause();
      return;
    }
    this.isJumpReported = false;
    this.epoch = epoch;
    this.seq = seq;
    this.position = cursor;
  }

  /** False if the queue is full: the gap is then found again when the subscription continues. */
  private passGap(from: string, to: string, refill: string | null): boolean {
    const isPassed = this.delivery.push({ type: 'gap', from, to, refill });
    if (!isPassed) this.pause();
    return isPassed;
  }

  /** Unsubscribes until the handler has processed what waits, so that the queue does not grow and nothing is lost. */
  private pause(): void {
    this.isPaused = true;
    this.release();
  }

  private onRoom(): void {
    this.isPaused = false;
    if (!this.hasEnded) this.host.request(this);
  }

  private release(): void {
    if (this.id !== null) this.host.unsubscribe(this.id);
    this.id = null;
  }

  private end(): void {
    this.hasEnded = true;
    this.host.remove(this);
  }
}

import type { StreamMessage } from './protocol.ts';

/** Called with one message at a time, in order. The next one waits for the promise that it returns, if any. */
export type MessageHandler = (message: StreamMessage) => void | Promise<void>;

/** Passes messages to a handler one after the other, and holds a bounded number of those that wait. */
export class Delivery {
  private readonly handler: MessageHandler;
  private readonly queueMax: number;
  /** Called when the queue is empty after it was full. */
  private readonly onRoom: () => void;
  private queue: StreamMessage[] = [];
  private isRunning = false;
  private isFull = false;
  private isClosed = false;

  constructor(handler: MessageHandler, queueMax: number, onRoom: () => void) {
    this.handler = handler;
    this.queueMax = queueMax;
    this.onRoom = onRoom;
  }

  /** Passes a message on or queues it. False if the queue is full: then it takes no more until `onRoom`. */
  push(message: StreamMessage): boolean {
    if (this.isClosed || this.isFull) return false;
    if (this.queue.length >= this.queueMax) {
      this.isFull = true;
      this.queue.push({ type: 'slow', queued: this.queue.length });
      return false;
    }
    this.queue.push(message);
    if (!this.isRunning) this.run();
    return true;
  }

  /** Passes on or queues the last message, also if the queue is full. */
  pushLast(message: StreamMessage): void {
    this.isFull = false;
    this.queue.push(message);
    if (!this.isRunning) this.run();
  }

  /** Discards what waits. */
  close(): void {
    this.isClosed = true;
    this.queue = [];
  }

  private run(): void {
    this.isRunning = true;
    // `at` instead of `shift`, which moves all that wait.
    let at = 0;
    const { queue } = this;
    while (at < queue.length && !this.isClosed) {
      const pending = this.pass(queue[at]!);
      at += 1;
      if (pending) {
        this.queue = this.queue.slice(at);
        void pending.then(() => this.run());
        return;
      }
    }
    this.queue = [];
    this.isRunning = false;
    if (!this.isFull || this.isClosed) return;
    this.isFull = false;
    this.onRoom();
  }

  /** An error of the handler is thrown outside of the client, as one of an event listener is; messages go on. */
  private pass(message: StreamMessage): Promise<void> | undefined {
    const raise = (error: unknown) =>
      queueMicrotask(() => {
        throw error;
      });
    try {
      return this.handler(message)?.catch(raise);
    } catch (error) {
      raise(error);
      return undefined;
    }
  }
}

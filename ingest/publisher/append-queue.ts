/**
 * Queue of received records before the log. It appends one batch at a time, in order; a batch holds what was queued
 * meanwhile. While the log accepts nothing, the queue signals backpressure, holds its records and retries.
 */
import { appendFitting } from '#infra/log/append-fitting';
import { type AppendRecord, type EventLog, LogError } from '#infra/log/log';
import { backoff } from '#infra/runtime/retry';

/** How long the first record of a batch waits for further records. */
const GATHER_MS = 1;
/** Size of one append, small enough that the log's writer does not block the event loop for more than some ms. */
const BATCH_RECORDS_MAX = 2_048;
const BATCH_BYTES_MAX = 512 * 1024;
/** Above these sizes the queue asks feeds to pause; below half of them it asks them to resume. */
const QUEUE_RECORDS_MAX = 8_192;
const QUEUE_BYTES_MAX = 32 * 1024 * 1024;
/** Attempts to write the remaining records on close; the waits between them add up to about 1.5 s. */
const CLOSING_ATTEMPTS = 5;

export interface AppendQueueOptions {
  readonly log: EventLog;
  /**
   * Returns the watermark after a batch. `firstLeft` is the event time of the first record that the batch leaves in the
   * queue, or null if it leaves none.
   */
  readonly closeBatch: (firstLeft: number | null) => number;
  /** Called when the batch is in the log, and with it everything before `watermark`. */
  readonly onAppended: (records: readonly AppendRecord[], watermark: number) => void;
  /** Returns small replacements for records that the log refuses for their size. */
  readonly onTooLarge: (records: readonly AppendRecord[]) => readonly AppendRecord[];
  /** Called with the error when the log stops accepting records, and with null when it accepts them again. */
  readonly onLogStatus: (error: LogError | null) => void;
  /** Called when the log failed permanently: nothing is written any more. */
  readonly onFailure: (error: Error) => void;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class AppendQueue {
  private readonly options: AppendQueueOptions;
  private records: AppendRecord[] = [];
  private head = 0;
  private bytes = 0;
  private running: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private isLogFailing = false;
  private readonly closing = new AbortController();
  private failure: Error | null = null;
  private readonly waiters = new Set<Waiter>();
  private readonly listeners = new Set<(paused: boolean) => void>();
  /** True while feeds are requested to pause. */
  paused = false;

  constructor(options: AppendQueueOptions) {
    this.options = options;
  }

  /** True if nothing is queued and no append is running. */
  get idle(): boolean {
    return this.head === this.records.length && this.running === null;
  }

  push(record: AppendRecord): void {
    if (this.failure) return;
    this.records.push(record);
    this.bytes += record.value?.length ?? 0;
    this.updateBackpressure();
    this.schedule();
  }

  /** Starts a batch after the gathering time. An empty batch advances the watermark only. */
  schedule(): void {
    if (this.running || this.timer || this.failure) return;
    this.timer = setTimeout(() => this.start(), GATHER_MS);
  }

  /** Resolves when feeds may resume. Rejects when the log failed permanently, or with the signal's reason. */
  whenReady(signal?: AbortSignal): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (!this.paused) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const unregister = () => {
        this.waiters.delete(waiter);
        signal?.removeEventListener('abort', abort);
      };
      const abort = () => waiter.reject(signal?.reason);
      const waiter: Waiter = {
        resolve: () => {
          unregister();
          resolve();
        },
        reject: (error) => {
          unregister();
          reject(error);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.waiters.add(waiter);
    });
  }

  /** Calls the listener with true when feeds should pause and with false when they may resume. Returns an unsubscribe. */
  onBackpressure(listener: (paused: boolean) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Resolves when everything pushed so far is in the log. */
  async flush(): Promise<void> {
    while (!this.failure && (this.head < this.records.length || this.running)) {
      if (!this.running) this.start();
      await this.running;
    }
    if (this.failure) throw this.failure;
  }

  /** Writes the remaining records, and retries a full or unreachable log a few times. Unwritten records are lost. */
  async close(): Promise<void> {
    // The wait before the next attempt can be longer than a process has to stop.
    this.closing.abort();
    await this.flush();
    if (this.timer) clearTimeout(this.timer);
  }

  private start(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.running) return;
    this.running = this.drain().finally(() => {
      this.running = null;
      if (this.head < this.records.length) this.schedule();
    });
  }

  private async drain(): Promise<void> {
    try {
      do {
        const batch = this.nextBatch();
        const left = this.records[this.head];
        const watermark = this.options.closeBatch(left ? left.receivedAt : null);
        if (batch.length > 0) await this.append(batch);
        this.options.onAppended(batch, watermark);
        this.updateBackpressure();
      } while (this.head < this.records.length);
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private async append(batch: readonly AppendRecord[]): Promise<void> {
    const refused = await this.appendWithRetry(batch);
    if (refused.length > 0) await this.appendWithRetry(this.options.onTooLarge(refused));
  }

  /** Appends a batch, retrying transient errors. Returns the records that the log refused for their size. */
  private async appendWithRetry(batch: readonly AppendRecord[]): Promise<readonly AppendRecord[]> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const refused = await appendFitting(this.options.log, batch);
        if (attempt > 0) this.setLogStatus(null);
        return refused;
      } catch (error) {
        if (!(error instanceof LogError) || !error.canRetry) throw error;
        if (this.closing.signal.aborted && attempt >= CLOSING_ATTEMPTS) throw error;
        if (attempt === 0) this.setLogStatus(error);
        await backoff(attempt, this.closing.signal);
      }
    }
  }

  private nextBatch(): AppendRecord[] {
    let bytes = 0;
    let end = this.head;
    const maxEnd = Math.min(this.records.length, this.head + BATCH_RECORDS_MAX);
    while (end < maxEnd && (end === this.head || bytes < BATCH_BYTES_MAX)) {
      bytes += this.records[end]?.value?.length ?? 0;
      end += 1;
    }
    const batch = this.records.slice(this.head, end);
    this.head = end;
    this.bytes -= bytes;
    if (this.head === this.records.length || this.head > QUEUE_RECORDS_MAX) {
      this.records = this.records.slice(this.head);
      this.head = 0;
    }
    return batch;
  }

  private setLogStatus(error: LogError | null): void {
    this.isLogFailing = error !== null;
    this.options.onLogStatus(error);
    this.updateBackpressure();
  }

  private updateBackpressure(): void {
    const queued = this.records.length - this.head;
    const share = this.paused ? 0.5 : 1;
    const paused = this.isLogFailing || queued > QUEUE_RECORDS_MAX * share || this.bytes > QUEUE_BYTES_MAX * share;
    if (paused === this.paused) return;
    this.paused = paused;
    for (const listener of this.listeners) listener(paused);
    if (!paused) for (const waiter of this.waiters) waiter.resolve();
  }

  private fail(error: Error): void {
    this.failure = error;
    this.records = [];
    this.head = 0;
    this.bytes = 0;
    this.paused = true;
    for (const listener of this.listeners) listener(true);
    for (const waiter of this.waiters) waiter.reject(error);
    this.options.onFailure(error);
  }
}

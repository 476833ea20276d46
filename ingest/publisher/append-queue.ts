/**
 * What was received, on its way into the log: one append at a time, in order, each of what gathered meanwhile. While the
 * log takes nothing the queue asks for a pause, keeps what it has and tries again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { appendFitting } from '#infra/log/append-fitting';
import { type AppendRecord, type EventLog, LogError } from '#infra/log/log';
import { backoffMs } from '#infra/retry';

/** How long the first record of a batch waits for company. */
const GATHER_MS = 1;
/** One append; small enough that the log's writer does not keep the event loop for long. */
const BATCH_RECORDS_MAX = 2_048;
const BATCH_BYTES_MAX = 4 * 1024 * 1024;
/** Above these the queue asks its feeders to pause; it asks them on again below half. */
const QUEUE_RECORDS_MAX = 8_192;
const QUEUE_BYTES_MAX = 32 * 1024 * 1024;
/** Attempts to write what is left when the process is closing; the waits between them add up to about 1.5 s. */
const CLOSING_ATTEMPTS = 5;

export interface AppendQueueOptions {
  readonly log: EventLog;
  /**
   * Promises the time before which nothing more will come, given the time of the first record left in the queue, or
   * null when the batch takes everything there is.
   */
  readonly cut: (firstLeft: number | null) => number;
  /** The batch is in the log, and everything before `cut` with it. */
  readonly onAppended: (records: readonly AppendRecord[], cut: number) => void;
  /** The log refuses these for their size: what is appended in their place, which must be small. */
  readonly onRefused: (records: readonly AppendRecord[]) => readonly AppendRecord[];
  /** The log takes nothing now (the error says why), or takes records again (null). */
  readonly onTrouble: (error: LogError | null) => void;
  /** The log refused for good: nothing will be written any more. */
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
  private troubled = false;
  private closing = false;
  private failure: Error | null = null;
  private readonly waiters = new Set<Waiter>();
  private readonly listeners = new Set<(pressed: boolean) => void>();
  /** Whether feeders are asked to pause. */
  pressed = false;

  constructor(options: AppendQueueOptions) {
    this.options = options;
  }

  /** Nothing queued and nothing on its way. */
  get idle(): boolean {
    return this.head === this.records.length && this.running === null;
  }

  push(record: AppendRecord): void {
    if (this.failure) return;
    this.records.push(record);
    this.bytes += record.value?.length ?? 0;
    this.checkPressure();
    this.schedule();
  }

  /** Writes what there is after the gathering time, and `cut`s even if there is nothing. */
  schedule(): void {
    if (this.running || this.timer || this.failure) return;
    this.timer = setTimeout(() => this.start(), GATHER_MS);
  }

  /** Resolves when feeders may go on; rejects when the log refused for good, or with the signal's reason. */
  whenReady(signal?: AbortSignal): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (!this.pressed) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiters.delete(waiter);
        signal?.removeEventListener('abort', abort);
      };
      const abort = () => waiter.reject(signal?.reason);
      const waiter: Waiter = {
        resolve: () => {
          leave();
          resolve();
        },
        reject: (error) => {
          leave();
          reject(error);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.waiters.add(waiter);
    });
  }

  /** Told when feeders are to pause (true) and to go on (false). Returns how to stop being told. */
  onPressure(listener: (pressed: boolean) => void): () => void {
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

  /** Writes what is left, trying a full or lost log a few times more; what it does not take was never acknowledged. */
  async close(): Promise<void> {
    this.closing = true;
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
        const batch = this.take();
        const left = this.records[this.head];
        const cut = this.options.cut(left ? left.receivedAt : null);
        if (batch.length > 0) await this.append(batch);
        this.options.onAppended(batch, cut);
        this.checkPressure();
      } while (this.head < this.records.length);
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private async append(batch: readonly AppendRecord[]): Promise<void> {
    const refused = await this.appendUntilTaken(batch);
    if (refused.length > 0) await this.appendUntilTaken(this.options.onRefused(refused));
  }

  /** Gives what the log refused for its size. */
  private async appendUntilTaken(batch: readonly AppendRecord[]): Promise<readonly AppendRecord[]> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const refused = await appendFitting(this.options.log, batch);
        if (attempt > 0) this.trouble(null);
        return refused;
      } catch (error) {
        if (!(error instanceof LogError) || !error.canRetry) throw error;
        if (this.closing && attempt >= CLOSING_ATTEMPTS) throw error;
        if (attempt === 0) this.trouble(error);
        await sleep(backoffMs(attempt));
      }
    }
  }

  private take(): AppendRecord[] {
    let bytes = 0;
    let end = this.head;
    const most = Math.min(this.records.length, this.head + BATCH_RECORDS_MAX);
    while (end < most && (end === this.head || bytes < BATCH_BYTES_MAX)) {
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

  private trouble(error: LogError | null): void {
    this.troubled = error !== null;
    this.options.onTrouble(error);
    this.checkPressure();
  }

  private checkPressure(): void {
    const queued = this.records.length - this.head;
    const share = this.pressed ? 0.5 : 1;
    const pressed = this.troubled || queued > QUEUE_RECORDS_MAX * share || this.bytes > QUEUE_BYTES_MAX * share;
    if (pressed === this.pressed) return;
    this.pressed = pressed;
    for (const listener of this.listeners) listener(pressed);
    if (!pressed) for (const waiter of this.waiters) waiter.resolve();
  }

  private fail(error: Error): void {
    this.failure = error;
    this.records = [];
    this.head = 0;
    this.bytes = 0;
    this.pressed = true;
    for (const listener of this.listeners) listener(true);
    for (const waiter of this.waiters) waiter.reject(error);
    this.options.onFailure(error);
  }
}

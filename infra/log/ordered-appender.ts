import type { AppendRecord, EventLog } from './log.ts';

interface Waiting {
  readonly makeRecord: (receivedAt: number) => AppendRecord;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Appends records whose times never decrease, one batch after the other: what arrives while a batch is being appended is
 * the next batch.
 */
export class OrderedAppender {
  private readonly appendRecords: EventLog['append'];
  private waiting: Waiting[] = [];
  private running: Promise<void> | null = null;
  private lastReceivedAt = 0;

  /** @param appendRecords appends a batch, with retries if any are wanted. */
  constructor(appendRecords: EventLog['append']) {
    this.appendRecords = appendRecords;
  }

  /** Resolves when the record is in the log; rejects with the error of its batch. */
  append(makeRecord: Waiting['makeRecord']): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ makeRecord, resolve, reject });
      this.running ??= this.run();
    });
  }

  /** Resolves when nothing is being appended. */
  async drained(): Promise<void> {
    while (this.running) await this.running;
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0);
      this.lastReceivedAt = Math.max(this.lastReceivedAt, Date.now());
      try {
        await this.appendRecords(batch.map(({ makeRecord }) => makeRecord(this.lastReceivedAt)));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.running = null;
  }
}

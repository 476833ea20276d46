import type { Logger } from 'pino';
import { backoff } from '../../runtime/retry.ts';
import { LogError, type LogReader } from '../log.ts';
import type { WatermarkBoard } from './watermark-board.ts';
import { decodeWatermarks, FOLLOW_BACK_MS } from './watermark-topic.ts';

const POLL_RECORDS = 1_024;
const POLL_TIMEOUT_MS = 1_000;

export interface WatermarkFollowerOptions {
  readonly board: WatermarkBoard;
  readonly logger: Logger | undefined;
  /** Offset of the first record that was appended at or after a wall time. */
  readonly offsetAt: (appendedAt: number) => Promise<number>;
  readonly read: (offset: number) => Promise<LogReader>;
}

/** Reads the promises of all processes onto this process's board, for all its readers. */
export class WatermarkFollower {
  private readonly options: WatermarkFollowerOptions;
  private running: Promise<void> | null = null;
  private reader: LogReader | null = null;
  private closed = false;

  constructor(options: WatermarkFollowerOptions) {
    this.options = options;
  }

  /** Starts to follow, once. */
  start(): void {
    this.running ??= this.run();
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.reader?.close();
    await this.running;
  }

  private async run(): Promise<void> {
    for (let attempt = 0; !this.closed; attempt += 1) {
      try {
        const offset = await this.options.offsetAt(Date.now() - FOLLOW_BACK_MS);
        this.reader = await this.options.read(offset);
        if (this.closed) await this.reader.close();
        for (;;) {
          const { records } = await this.reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
          for (const { value } of records) if (value) this.apply(value);
          attempt = 0;
        }
      } catch (error) {
        await this.reader?.close();
        if (this.closed || (error instanceof LogError && error.code === 'log_closed')) return;
        this.options.logger?.warn({ error }, 'could not read watermarks, retrying');
        await backoff(attempt);
      }
    }
  }

  private apply(value: Buffer): void {
    const { promises, cleared } = decodeWatermarks(value);
    for (const topic of cleared) this.options.board.forget(topic);
    for (const promised of promises) this.options.board.put(promised);
  }
}

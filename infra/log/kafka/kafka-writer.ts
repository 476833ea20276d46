import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LogError, TopicPartition } from '../log.ts';
import { Appender } from './appender.ts';
import type { BatchProducer } from './kafka-client.ts';
import type { Bounds } from './point-reads.ts';
import type { WatermarkBoard } from './watermark-board.ts';
import { WatermarkWriter } from './watermark-writer.ts';

/** How long closing waits for the last watermarks. */
const LAST_WATERMARKS_MS = 1_000;

export interface KafkaWriterOptions {
  readonly connect: () => Promise<BatchProducer>;
  readonly onFenced?: (error: LogError) => void;
  readonly board: WatermarkBoard;
  /** Name of the process in its watermarks. */
  readonly writerId: string;
  readonly intervalMs: number;
  readonly bounds: (at: TopicPartition) => Promise<Bounds>;
  readonly logger: Logger | undefined;
}

/** One producer with the watermarks of the partitions that it writes: both stop when it is fenced. */
export class KafkaWriter {
  readonly appender: Appender;
  readonly watermarks: WatermarkWriter;

  constructor({ connect, onFenced, ...rest }: KafkaWriterOptions) {
    this.appender = new Appender({
      connect,
      ...(onFenced ? { onFenced } : {}),
      onAppended: (at, next) => this.watermarks.appended(at, next),
    });
    this.watermarks = new WatermarkWriter({ ...rest, append: (records) => this.appender.append(records) });
  }

  /** Stops writing for this reason; pending requests may still succeed. */
  end(reason: LogError): void {
    this.watermarks.stop();
    this.appender.end(reason);
  }

  async close(): Promise<void> {
    const written = this.watermarks.close();
    // Without a broker the last watermarks would be retried for long; they are promised again after a start.
    await Promise.race([written, sleep(LAST_WATERMARKS_MS, undefined, { ref: false })]);
    await this.appender.close();
    await written;
  }
}

import { setImmediate as yieldToIo } from 'node:timers/promises';
import { type EventLog, LogError, type LogReader, type LogRecord, type TopicPartition } from '#infra/log/log';
import { partitionName } from '#infra/log/partition-name';

const POLL_RECORDS = 256;
const POLL_TIMEOUT_MS = 250;
/** Records that were read are cached up to these bounds, since events of other channels may refer to them too. */
const WINDOW_RECORDS = 2_048;
const WINDOW_BYTES = 2 * 1024 * 1024;
/** A record further ahead is read with a new reader: quicker than reading everything in between. */
const FAR_AHEAD = 2_048;
/** A broker restarts in less time. An embedded log answers at once. */
const SILENT_FOR_MS = 30_000;

/** Why there is no record: `removed` by retention, or `missing`: the log holds none at that offset. */
export type Absence = 'removed' | 'missing';

export interface RawPartitionOptions {
  readonly log: Pick<EventLog, 'bounds' | 'reader'>;
  readonly at: TopicPartition;
  /** Aborts once nobody waits for the records. */
  readonly signal: AbortSignal;
}

/**
 * Reads records of one partition by offset, for callers that read nearly in order: one reader goes forward, and the
 * newest records are cached.
 */
export class RawPartition {
  /** Bytes read so far. */
  bytesRead = 0;
  private readonly options: RawPartitionOptions;
  private reader: LogReader | null = null;
  /** Every record from `from` up to `next` is in the window, oldest first. */
  private readonly window = new Map<number, LogRecord>();
  private windowBytes = 0;
  private from = 0;
  private next = 0;
  /** Offset of the first retained record. */
  private firstRetained = 0;

  constructor(options: RawPartitionOptions) {
    this.options = options;
  }

  /** The record if it is known without reading; undefined if that needs `read`. */
  peek(offset: number): LogRecord | Absence | undefined {
    return this.window.get(offset) ?? (offset < this.firstRetained ? 'removed' : undefined);
  }

  /** Reads the record at an offset. Rejects with a `LogError`, a transient one if the log returns nothing for long. */
  async read(offset: number): Promise<LogRecord | Absence> {
    const isNear = this.reader !== null && offset >= this.from && offset <= this.next + FAR_AHEAD;
    if (!isNear && !(await this.open(offset))) return 'removed';
    await this.readThrough(offset);
    const record = this.window.get(offset);
    if (record) return record;
    await this.refreshBounds();
    return offset < this.firstRetained ? 'removed' : 'missing';
  }

  /** Closes the reader and clears the cache. */
  async close(): Promise<void> {
    const { reader } = this;
    this.reader = null;
    this.window.clear();
    this.windowBytes = 0;
    await reader?.close();
  }

  /** Opens a reader at an offset. False if retention has removed the record. */
  private async open(offset: number): Promise<boolean> {
    await this.refreshBounds();
    if (offset < this.firstRetained) return false;
    await this.close();
    const { log, at } = this.options;
    this.reader = await log.reader([{ ...at, offset }]);
    this.from = offset;
    this.next = offset;
    return true;
  }

  /** Reads up to an offset. Stops early if the offset turns out to lie below the first retained record. */
  private async readThrough(offset: number): Promise<void> {
    const { at, signal } = this.options;
    let deadline = Date.now() + SILENT_FOR_MS;
    while (this.next <= offset) {
      if (signal.aborted) throw new LogError('log_closed', `the read of ${partitionName(at)} was cancelled`);
      const { records } = await this.reader!.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
      const last = records.at(-1);
      if (last) {
        for (const record of records) this.addToWindow(record);
        this.next = last.offset + 1;
        this.trim(offset);
        deadline = Date.now() + SILENT_FOR_MS;
        if (this.next <= offset) await yieldToIo();
        continue;
      }
      const { first, next } = await this.refreshBounds();
      if (offset < first) return;
      if (Date.now() < deadline) continue;
      if (offset >= next) return;
      throw new LogError('log_unavailable', `${partitionName(at)} returned no records from ${this.next} to ${offset}`);
    }
  }

  private addToWindow(record: LogRecord): void {
    const bytes = record.value?.length ?? 0;
    this.window.set(record.offset, record);
    this.windowBytes += bytes;
    this.bytesRead += bytes;
  }

  /** Records ahead of the offset stay: they are needed next. */
  private trim(offset: number): void {
    for (const [oldest, { value }] of this.window) {
      if (oldest >= offset || (this.window.size <= WINDOW_RECORDS && this.windowBytes <= WINDOW_BYTES)) return;
      this.window.delete(oldest);
      this.windowBytes -= value?.length ?? 0;
      this.from = oldest + 1;
    }
  }

  private async refreshBounds(): Promise<{ first: number; next: number }> {
    const bounds = await this.options.log.bounds(this.options.at);
    this.firstRetained = bounds.first;
    return bounds;
  }
}

import { setImmediate as yieldToIo } from 'node:timers/promises';
import { type EventLog, LogError, type LogReader, type LogRecord, type TopicPartition } from '#infra/log/log';
import { partitionName } from '#infra/log/partition-name';

const POLL_RECORDS = 256;
const POLL_TIMEOUT_MS = 250;
/** Records that were asked for are kept up to these bounds, since events of other channels may refer to them too. */
const WINDOW_RECORDS = 2_048;
const WINDOW_BYTES = 2 * 1024 * 1024;
/** What lies further ahead is read from a new reader: quicker than reading all that is between. */
const FAR_AHEAD = 2_048;
/** A broker restarts in less. An embedded log answers at once. */
const SILENT_FOR_MS = 30_000;

/** Why there is no record: retention has removed it, or the log holds none at that offset. */
export type Absence = 'removed' | 'missing';

export interface RawPartitionOptions {
  readonly log: Pick<EventLog, 'bounds' | 'reader'>;
  readonly at: TopicPartition;
  /** Whether nobody waits for the records any more. */
  readonly isOver: () => boolean;
}

/**
 * Records of one partition by their offsets, for callers who ask for them nearly in order: one reader goes forward, and
 * the newest of what it brought is kept.
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
  /** Retention has removed what lies below. */
  private firstKept = 0;

  constructor(options: RawPartitionOptions) {
    this.options = options;
  }

  /** What is known without reading: undefined when that takes `read`. */
  peek(offset: number): LogRecord | Absence | undefined {
    return this.window.get(offset) ?? (offset < this.firstKept ? 'removed' : undefined);
  }

  /** The record at an offset. Rejects with a `LogError`; one that can be retried where the log gives nothing for long. */
  async read(offset: number): Promise<LogRecord | Absence> {
    const isNear = this.reader !== null && offset >= this.from && offset <= this.next + FAR_AHEAD;
    if (!isNear && !(await this.open(offset))) return 'removed';
    await this.readThrough(offset);
    const record = this.window.get(offset);
    if (record) return record;
    await this.findFirstKept();
    return offset < this.firstKept ? 'removed' : 'missing';
  }

  /** Lets go of the reader and of what was read. */
  async close(): Promise<void> {
    const { reader } = this;
    this.reader = null;
    this.window.clear();
    this.windowBytes = 0;
    await reader?.close();
  }

  /** False when retention has removed the record. */
  private async open(offset: number): Promise<boolean> {
    await this.findFirstKept();
    if (offset < this.firstKept) return false;
    await this.close();
    const { log, at } = this.options;
    this.reader = await log.reader([{ ...at, offset }]);
    this.from = offset;
    this.next = offset;
    return true;
  }

  /** Gives up early where the offset proves to lie below the first record that is kept. */
  private async readThrough(offset: number): Promise<void> {
    const { at, isOver } = this.options;
    let deadline = Date.now() + SILENT_FOR_MS;
    while (this.next <= offset) {
      if (isOver()) throw new LogError('log_closed', `nobody waits for ${partitionName(at)} any more`);
      const { records } = await this.reader!.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
      const last = records.at(-1);
      if (last) {
        for (const record of records) this.keep(record);
        this.next = last.offset + 1;
        this.trim(offset);
        deadline = Date.now() + SILENT_FOR_MS;
        if (this.next <= offset) await yieldToIo();
        continue;
      }
      const { first, next } = await this.findFirstKept();
      if (offset < first) return;
      if (Date.now() < deadline) continue;
      if (offset >= next) return;
      throw new LogError('log_unavailable', `${partitionName(at)} gives nothing from ${this.next} up to ${offset}`);
    }
  }

  private keep(record: LogRecord): void {
    const bytes = record.value?.length ?? 0;
    this.window.set(record.offset, record);
    this.windowBytes += bytes;
    this.bytesRead += bytes;
  }

  /** What was read ahead of the offset stays: it is asked for next. */
  private trim(offset: number): void {
    for (const [oldest, { value }] of this.window) {
      if (oldest >= offset || (this.window.size <= WINDOW_RECORDS && this.windowBytes <= WINDOW_BYTES)) return;
      this.window.delete(oldest);
      this.windowBytes -= value?.length ?? 0;
      this.from = oldest + 1;
    }
  }

  private async findFirstKept(): Promise<{ first: number; next: number }> {
    const bounds = await this.options.log.bounds(this.options.at);
    this.firstKept = bounds.first;
    return bounds;
  }
}

/**
 * Follows a topic: decodes its records in order and passes each to a handler, first those that the topic has at the
 * start, then every new one until it is closed.
 */
import type { Logger } from 'pino';
import type { Topic } from '#schemas/topics/topic';
import { type Codec, CodecError } from '../codec/codec.ts';
import type { EventLog, LogReader, LogRecord } from '../log/log.ts';
import { readUntil } from '../log/read-until.ts';
import { isTransient, retry } from '../runtime/retry.ts';
import { nextTurn } from '../runtime/turn.ts';
import type { Health } from '../telemetry/health.ts';
import { CatchUpProgress } from './catch-up-progress.ts';

const POLL_RECORDS = 1_024;
const POLL_TIMEOUT_MS = 250;

export interface FollowerContext {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly health?: Health;
}

export interface FollowOptions<T> {
  /** A topic that exists and is prepared. */
  readonly topic: Topic<T>;
  /** The followed partition, 0 by default. */
  readonly partition?: number;
  /** The part of `/health` that reports failures. */
  readonly part: string;
  /** Offset of the first record. */
  readonly from: number;
  /** False for the key of a record that is skipped without decoding it. */
  readonly isWanted?: (key: string) => boolean;
  /** Handles one record. The next one waits for a promise that it returns, and `signal` aborts when it should end. */
  readonly handle: (value: T, record: LogRecord, signal: AbortSignal) => void | Promise<void>;
  /** Called for a key that was removed from a compacted topic. */
  readonly onRemoved?: (key: string) => void;
  /** Called after the records of each poll, also if there were none. */
  readonly afterPoll?: () => void;
}

/**
 * Skips undecodable records with a log line. After a transient error, also one of the handler, it continues with the
 * same record, with growing waits; an unknown schema is transient, because its writer is about to register it. Any
 * other error ends it and is reported as failed.
 */
export class TopicFollower<T> {
  private readonly context: FollowerContext;
  private readonly options: FollowOptions<T>;
  private readonly at: { readonly topic: string; readonly partition: number };
  private readonly closing = new AbortController();
  /** Aborts when the follower is closed. */
  readonly signal: AbortSignal = this.closing.signal;
  /** The records of the last poll. */
  private batch: readonly LogRecord[] = [];
  /** Number of handled records of `batch`. */
  private handledCount = 0;
  private handledUntil: number;
  private failed = false;
  private readonly problems = new Map<string, string>();
  private reader: LogReader | null = null;
  private following: Promise<void> = Promise.resolve();

  constructor(context: FollowerContext, options: FollowOptions<T>) {
    this.context = context;
    this.options = options;
    this.at = { topic: options.topic.name, partition: options.partition ?? 0 };
    this.handledUntil = options.from - 1;
  }

  /** Offset of the last record that was handled or skipped; before the first one, the offset before it. */
  get handledOffset(): number {
    return this.handledUntil;
  }

  /** True if an error ended it. */
  get hasFailed(): boolean {
    return this.failed;
  }

  /**
   * Handles every record that the topic has now, however long that takes, and logs its progress. Rejects with the first
   * error: with a `LogError` if the log returns none of the remaining records for half a minute.
   */
  async catchUp(): Promise<void> {
    const { log, logger } = this.context;
    const last = (await log.last(this.at))?.offset ?? -1;
    const range = { from: this.handledOffset + 1, last, pollRecords: POLL_RECORDS };
    const progress = new CatchUpProgress({ logger, topic: this.at.topic, ...range });
    for await (const records of readUntil(log, this.at, range)) {
      await this.handleBatch(records);
      progress.reached(this.handledOffset);
      // An embedded log answers without a wait, and a million records take long: timers and sockets need turns.
      await nextTurn();
    }
  }

  /** Begins to follow the topic, in the background. */
  async start(): Promise<void> {
    this.reader = await this.context.log.reader([{ ...this.at, offset: this.handledOffset + 1 }]);
    this.following = this.follow(this.reader);
  }

  /** Waits for the running handler. */
  async close(): Promise<void> {
    this.closing.abort();
    this.reader?.endWaits();
    await this.following;
    await this.reader?.close();
  }

  /**
   * Logs and reports that the topic cannot be processed because of an error, or can be processed again (null).
   * @param occasion what failed; the topic can be processed again once every occasion recovered.
   */
  reportProblem(occasion: string, error: unknown): void {
    const { logger, health } = this.context;
    const { topic, part } = this.options;
    if (error === null) {
      this.problems.delete(occasion);
      if (this.problems.size > 0) return;
      logger.info(`${topic.name} can be processed again`);
      health?.ready(part);
      return;
    }
    if (this.problems.size === 0) logger.error({ error }, `could not process ${topic.name}, retrying`);
    const message = error instanceof Error ? error.message : String(error);
    this.problems.set(occasion, message);
    health?.degraded(part, `could not process ${topic.name}: ${message}`);
  }

  private async follow(reader: LogReader): Promise<void> {
    const { signal } = this;
    try {
      while (!signal.aborted)
        await retry(() => this.poll(reader), {
          canRetry: (error) => !signal.aborted && isTransient(error, 'unknown_schema'),
          onFailure: (error) => this.reportProblem('reading', error),
          onRecovered: () => this.reportProblem('reading', null),
          signal,
        });
    } catch (error) {
      // Whatever the handler uses may be closed already.
      if (signal.aborted) return;
      this.failed = true;
      this.context.logger.error({ error }, `stopped processing ${this.at.topic} after an unexpected error`);
      this.context.health?.failed(this.options.part, error);
    }
  }

  private async poll(reader: LogReader): Promise<void> {
    if (this.handledCount < this.batch.length) await this.handleRest();
    else await this.handleBatch((await reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS)).records);
  }

  private handleBatch(records: readonly LogRecord[]): Promise<void> {
    this.batch = records;
    this.handledCount = 0;
    return this.handleRest();
  }

  /** Waits only for an unknown schema and for a handler that returns a promise: a start reads very many records. */
  private async handleRest(): Promise<void> {
    const { isWanted, handle, onRemoved, afterPoll } = this.options;
    for (; this.handledCount < this.batch.length; this.handledCount += 1) {
      if (this.signal.aborted) return;
      const record = this.batch[this.handledCount]!;
      const { key, value } = record;
      if (value && (!isWanted || isWanted(key))) {
        if (!this.context.codec.hasSchema(value)) await this.context.codec.fetchSchema(value);
        const decoded = this.decode(value, record.offset);
        const handling = decoded && handle(decoded, record, this.signal);
        if (handling) await handling;
      } else if (!value) onRemoved?.(key);
      this.handledUntil = record.offset;
    }
    afterPoll?.();
  }

  /** Null if the bytes are undecodable: every reader of the topic skips them. */
  private decode(bytes: Buffer, offset: number): T | null {
    const { codec, logger } = this.context;
    try {
      return codec.decode(this.options.topic, bytes);
    } catch (error) {
      if (!(error instanceof CodecError) || error.code === 'unknown_schema') throw error;
      logger.error({ offset, reason: error.message }, `skipped an undecodable record in ${this.at.topic}`);
      return null;
    }
  }
}

/**
 * Copies every command of `control.commands`, in order, to `control.changes`, through the publisher and thus with event
 * time. Only the holder of ingest's lease runs it. It continues after the last command in `control.changes`.
 */
import type { Logger } from 'pino';
import { type Codec, CodecError } from '#infra/codec/codec';
import type { Running } from '#infra/context';
import type { EventLog, LogReader, LogRecord } from '#infra/log/log';
import { pause } from '#infra/pause';
import { isTransient, retry } from '#infra/retry';
import { type ControlCommand, commandTopic } from '#schemas/topics/control';
import type { Publisher } from '../publisher/publisher.ts';

const AT = { topic: commandTopic.name, partition: 0 };
const POLL_RECORDS = 1_024;
const POLL_TIMEOUT_MS = 250;
/** How often to check if playback has passed the records that the log already holds. */
const CATCH_UP_INTERVAL_MS = 20;

export interface SequenceOptions {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly publisher: Publisher;
  /** Called when it cannot continue: a bug, or a log that failed permanently. */
  readonly onFailure: (error: Error) => void;
}

/** Creates the topic of commands if it is missing, and runs until it is closed. Close it before the publisher. */
export async function sequenceChanges(options: SequenceOptions): Promise<Running> {
  const { log, codec, publisher, onFailure } = options;
  await log.createTopics([commandTopic]);
  await codec.prepare([commandTopic]);
  const { first } = await log.bounds(AT);
  const offset = Math.max(first, (publisher.newestChange?.commandOffset ?? -1) + 1);
  const reader = await log.reader([{ ...AT, offset }]);
  const closing = new AbortController();
  const running = new Sequencer(options, reader, closing.signal).run().catch((error: unknown) => {
    // Errors of the log or the publisher are expected while closing.
    if (!closing.signal.aborted) onFailure(error instanceof Error ? error : new Error(String(error)));
  });
  return {
    close: async () => {
      closing.abort();
      await running;
      await reader.close();
    },
  };
}

class Sequencer {
  private readonly options: SequenceOptions;
  private readonly reader: LogReader;
  private readonly signal: AbortSignal;

  constructor(options: SequenceOptions, reader: LogReader, signal: AbortSignal) {
    this.options = options;
    this.reader = reader;
    this.signal = signal;
  }

  async run(): Promise<void> {
    const { publisher } = this.options;
    const { signal } = this;
    while (!publisher.canPublishChanges) if (!(await pause(CATCH_UP_INTERVAL_MS, signal))) return;
    while (!signal.aborted) {
      const { records } = await this.withRetry('could not read commands', () =>
        this.reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS),
      );
      for (const record of records) {
        if (signal.aborted) return;
        const command = await this.withRetry('could not decode a command', () => this.decode(record));
        if (!command) continue;
        if (publisher.paused) await publisher.whenReady(signal);
        const { id, wallTime, type, body } = command;
        publisher.change({ id, wallTime, type, body, commandOffset: record.offset });
      }
    }
  }

  /** Decodes a command; null for an undecodable record, which the reducers skip too. */
  private async decode({ value, offset }: LogRecord): Promise<ControlCommand | null> {
    if (!value) return null;
    const { codec, logger } = this.options;
    try {
      await codec.fetchSchema(value);
      return codec.decode(commandTopic, value);
    } catch (error) {
      if (!(error instanceof CodecError) || error.code === 'unknown_schema') throw error;
      logger.error({ offset, error }, 'skipped an undecodable record in control.commands');
      return null;
    }
  }

  /** Retries transient errors. An unknown schema is transient: its writer is about to register it. */
  private withRetry<T>(message: string, operation: () => Promise<T>): Promise<T> {
    const { logger } = this.options;
    const { signal } = this;
    return retry(operation, {
      canRetry: (error) => !signal.aborted && isTransient(error, 'unknown_schema'),
      onFailure: (error, failures) => {
        if (failures === 1) logger.error({ error }, `${message}, retrying`);
      },
      signal,
    });
  }
}

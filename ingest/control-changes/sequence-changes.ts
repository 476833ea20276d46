/**
 * Gives every command its place in the pipeline: copies `control.commands`, in its order, to `control.changes`, through
 * the publisher and so at the pipeline's time. Only the holder of ingest's lease does, and it goes on behind the last
 * command that stands there.
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
/** How often it is looked whether a recording that is played again has come to what is new. */
const CATCH_UP_INTERVAL_MS = 20;

export interface SequenceOptions {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly publisher: Publisher;
  /** It cannot go on: a fault, or a log that gives nothing for good. */
  readonly onFailure: (error: Error) => void;
}

/** Makes the topic of commands where it is missing, and goes on until it is closed; close it before the publisher. */
export async function sequenceChanges(options: SequenceOptions): Promise<Running> {
  const { log, codec, publisher, onFailure } = options;
  await log.createTopics([commandTopic]);
  await codec.prepare([commandTopic]);
  const { first } = await log.bounds(AT);
  const offset = Math.max(first, (publisher.newestChange?.commandOffset ?? -1) + 1);
  const reader = await log.reader([{ ...AT, offset }]);
  const ending = new AbortController();
  const running = new Sequencer(options, reader, ending.signal).run().catch((error: unknown) => {
    // What the log or the publisher says once it is closed is no news.
    if (!ending.signal.aborted) onFailure(error instanceof Error ? error : new Error(String(error)));
  });
  return {
    close: async () => {
      ending.abort();
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
    while (!publisher.takesChanges) if (!(await pause(CATCH_UP_INTERVAL_MS, signal))) return;
    while (!signal.aborted) {
      const { records } = await this.patiently('commands cannot be read', () =>
        this.reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS),
      );
      for (const record of records) {
        if (signal.aborted) return;
        const command = await this.patiently('a command cannot be decoded', () => this.decode(record));
        if (!command) continue;
        if (publisher.pressed) await publisher.whenReady(signal);
        const { id, wallTime, type, body } = command;
        publisher.change({ id, wallTime, type, body, commandOffset: record.offset });
      }
    }
  }

  /** Null for a record that is no command: whoever reduces commands passes over it too. */
  private async decode({ value, offset }: LogRecord): Promise<ControlCommand | null> {
    if (!value) return null;
    const { codec, logger } = this.options;
    try {
      await codec.fetchSchema(value);
      return codec.decode(commandTopic, value);
    } catch (error) {
      if (!(error instanceof CodecError) || error.code === 'unknown_schema') throw error;
      logger.error({ offset, error }, 'a record of control.commands is no command; it takes no place in the pipeline');
      return null;
    }
  }

  /** Waits for what passes by itself. A schema that nobody knows yet does: its writer is about to register it. */
  private patiently<T>(trouble: string, operation: () => Promise<T>): Promise<T> {
    const { logger } = this.options;
    const { signal } = this;
    return retry(operation, {
      canRetry: (error) => !signal.aborted && isTransient(error, 'unknown_schema'),
      onFailure: (error, failures) => {
        if (failures === 1) logger.error({ error }, `${trouble}; trying again`);
      },
      signal,
    });
  }
}

import type { Logger } from 'pino';
import { type Codec, CodecError } from '../codec/codec.ts';
import type { LogRecord } from '../log/log.ts';
import { DecodedRecord } from './decoded-record.ts';
import { OutputTooLargeError, type StageOutputs } from './outputs.ts';
import { type RetryPolicy, retryWhileUnavailable } from './retry-while-unavailable.ts';
import type { Stage } from './stage.ts';

export interface RecordHandlersOptions<S> {
  readonly stage: Stage<S>;
  readonly state: S;
  readonly codec: Codec;
  readonly outputs: StageOutputs;
  readonly logger: Logger;
  readonly retryPolicy: RetryPolicy;
  /**
   * True if other readers of this process read the same records at about the same time, so that decoded values are
   * cached for them. Where nobody does, the cache only holds values in memory that the garbage collector then copies.
   */
  readonly sharesValues: boolean;
}

/**
 * Runs records through the handlers of a stage: decodes each one and isolates failures, so that a bad record affects no
 * other.
 */
export class RecordHandlers<S> {
  private readonly options: RecordHandlersOptions<S>;
  private readonly handlers: ReadonlyMap<string, Stage<S>['inputs'][number]>;

  constructor(options: RecordHandlersOptions<S>) {
    this.options = options;
    this.handlers = new Map(options.stage.inputs.map((input) => [input.topic.name, input]));
  }

  /**
   * Processes a record. Afterwards the outputs hold what the handler emitted, or the record as a dead letter if the
   * stage writes dead letters.
   * Returns false if the schema of the record must be fetched first (`fetchSchemaAndProcess`). Most schemas are known,
   * and awaiting each record would cost more than processing it.
   */
  process(record: LogRecord): boolean {
    const { topic, handle } = this.handlers.get(record.topic)!;
    const { state, codec, outputs, sharesValues } = this.options;
    if (record.value !== null && !codec.hasSchema(record.value)) return false;
    outputs.begin(record);
    try {
      handle(state, new DecodedRecord(topic, record, codec, sharesValues) as never, outputs.emit);
      outputs.commit();
    } catch (error) {
      const hasCode = error instanceof OutputTooLargeError || error instanceof CodecError;
      this.reject(record, hasCode ? error.code : 'handler_failed', error);
    }
    return true;
  }

  /**
   * Fetches the schema, waiting while the registry is unavailable, then processes the record. A schema that the
   * registry does not know makes the record a dead letter.
   */
  async fetchSchemaAndProcess(record: LogRecord): Promise<void> {
    const { retryPolicy, codec } = this.options;
    try {
      await retryWhileUnavailable(retryPolicy, 'schema registry unavailable', () => codec.fetchSchema(record.value!));
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      this.reject(record, error.code, error);
      return;
    }
    if (!this.process(record))
      throw new Error(`the schema of ${record.topic} offset ${record.offset} is still unknown after it was fetched`);
  }

  private reject(record: LogRecord, reason: string, error: unknown): void {
    const { logger, stage, outputs } = this.options;
    logger.warn(
      { stage: stage.name, topic: record.topic, offset: record.offset, error },
      outputs.writesDeadLetters ? 'wrote a record to the dead letters' : 'skipped a record that could not be processed',
    );
    outputs.reject(record, reason, error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  }
}

import type { Logger } from 'pino';
import { type Codec, CodecError } from '../codec/codec.ts';
import type { LogRecord } from '../log/log.ts';
import { isTurnUsedUp, nextTurn } from '../runtime/turn.ts';
import { DecodedRecord } from './decoded-record.ts';
import { OutputTooLargeError, type StageOutputs } from './outputs.ts';
import { type RetryPolicy, retryWhileUnavailable } from './retry-while-unavailable.ts';
import type { Slices, Stage } from './stage.ts';

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
  /** What is left of the current record; null if it is done. */
  private slices: Slices | null = null;

  constructor(options: RecordHandlersOptions<S>) {
    this.options = options;
    this.handlers = new Map(options.stage.inputs.map((input) => [input.topic.name, input]));
  }

  /**
   * Processes a record. Afterwards the outputs hold what the handler emitted, or the record as a dead letter if the
   * stage writes dead letters.
   * Returns false if it must be awaited (`finish`): its schema must be fetched first, or its handler works in slices.
   * Nearly all records are done at once, and awaiting each would cost more than processing it.
   */
  process(record: LogRecord): boolean {
    const { topic, handle } = this.handlers.get(record.topic)!;
    const { state, codec, outputs, sharesValues } = this.options;
    if (record.value !== null && !codec.hasSchema(record.value)) return false;
    outputs.begin(record);
    try {
      const rest: unknown = handle(state, new DecodedRecord(topic, record, codec, sharesValues) as never, outputs.emit);
      if (isSlices(rest)) {
        this.slices = rest;
        return false;
      }
      outputs.commit();
    } catch (error) {
      this.rejectFailed(record, error);
    }
    return true;
  }

  /**
   * Finishes a record for which `process` returned false. Fetches the schema, waiting while the registry is unavailable;
   * one that the registry does not know makes the record a dead letter. Slices share their turns with all other work.
   */
  async finish(record: LogRecord): Promise<void> {
    if (!this.slices && (!(await this.fetchSchema(record)) || this.process(record))) return;
    const { slices } = this;
    if (!slices)
      throw new Error(`the schema of ${record.topic} offset ${record.offset} is still unknown after it was fetched`);
    this.slices = null;
    try {
      await inTurns(slices);
      await inTurns(this.options.outputs.commitInSlices());
    } catch (error) {
      this.rejectFailed(record, error);
    }
  }

  /** Returns false if the registry does not know the schema. */
  private async fetchSchema(record: LogRecord): Promise<boolean> {
    const { retryPolicy, codec } = this.options;
    try {
      await retryWhileUnavailable(retryPolicy, 'schema registry unavailable', () => codec.fetchSchema(record.value!));
      return true;
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      this.reject(record, error.code, error);
      return false;
    }
  }

  private rejectFailed(record: LogRecord, error: unknown): void {
    const hasCode = error instanceof OutputTooLargeError || error instanceof CodecError;
    this.reject(record, hasCode ? error.code : 'handler_failed', error);
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

/** A handler without slices may return anything. */
function isSlices(rest: unknown): rest is Slices {
  return typeof (rest as Partial<Slices> | null | undefined)?.next === 'function';
}

async function inTurns(slices: Slices): Promise<void> {
  while (!slices.next().done) if (isTurnUsedUp()) await nextTurn();
}

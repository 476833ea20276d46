import type { Logger } from 'pino';
import { type Codec, CodecError } from '../codec/codec.ts';
import type { LogRecord } from '../log/log.ts';
import { OutputTooLargeError, type StageOutputs } from './outputs.ts';
import { RecordEvent } from './record-event.ts';
import type { Stage } from './stage.ts';
import { type Patience, untilTaken } from './until-taken.ts';

export interface EventHandlersOptions<S> {
  readonly stage: Stage<S>;
  readonly state: S;
  readonly codec: Codec;
  readonly outputs: StageOutputs;
  readonly logger: Logger;
  readonly patience: Patience;
}

/** Takes records through the handlers of a stage: decodes each, steps it, and sees to it that a bad one harms no other. */
export class EventHandlers<S> {
  private readonly options: EventHandlersOptions<S>;
  private readonly handlers: ReadonlyMap<string, Stage<S>['inputs'][number]>;

  constructor(options: EventHandlersOptions<S>) {
    this.options = options;
    this.handlers = new Map(options.stage.inputs.map((input) => [input.topic.name, input]));
  }

  /**
   * What came of it stands in the outputs afterwards: what the handler emitted, or the record as a dead letter where the stage writes some.
   * False when the schema that the record was written with has to be learned first (`learnAndTake`); most are known, and
   * waiting for each would cost more than taking it.
   */
  take(record: LogRecord): boolean {
    const { topic, handle } = this.handlers.get(record.topic)!;
    const { state, codec, outputs } = this.options;
    if (record.value !== null && !codec.hasSchema(record.value)) return false;
    outputs.begin(record);
    try {
      handle(state, new RecordEvent(topic, record, codec) as never, outputs.emit);
      outputs.commit();
    } catch (error) {
      const hasCode = error instanceof OutputTooLargeError || error instanceof CodecError;
      this.refuse(record, hasCode ? error.code : 'handler_failed', error);
    }
    return true;
  }

  /** Waits for a registry that is away; a schema that it does not know makes the record a dead letter. */
  async learnAndTake(record: LogRecord): Promise<void> {
    const { patience, codec } = this.options;
    try {
      await untilTaken(patience, 'the schema registry cannot be asked', () => codec.fetchSchema(record.value!));
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      this.refuse(record, error.code, error);
      return;
    }
    if (!this.take(record))
      throw new Error(`the schema of ${record.topic} offset ${record.offset} was learned in vain`);
  }

  private refuse(record: LogRecord, reason: string, error: unknown): void {
    const { logger, stage, outputs } = this.options;
    logger.warn(
      { stage: stage.name, topic: record.topic, offset: record.offset, error },
      outputs.writesLetters ? 'a record becomes a dead letter' : 'a record cannot be taken and is left out',
    );
    outputs.refuse(record, reason, error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  }
}

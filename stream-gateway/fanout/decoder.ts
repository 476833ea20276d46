/** From a record of the log to the frame that goes to sockets; learns schemas that it meets for the first time. */
import type { Logger } from 'pino';
import { type Codec, CodecError } from '#infra/codec/codec';
import { readEpochs } from '#infra/log/epochs';
import type { EventLog, LogRecord } from '#infra/log/log';
import { mayPass, retry } from '#infra/retry';
import { type ChannelFrame, channelTopics } from '#schemas/topics/channels';
import type { Topic } from '#schemas/topics/topic';
import { type EncodedFrame, encodeEventFrame } from '../connection/event-frame.ts';
import type { ChannelEpochs } from './channel-epochs.ts';

export interface DecoderOptions {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  /** Told of a record that cannot be decoded, which is passed over. @param reason a short stable code. */
  readonly onUnreadable: (record: LogRecord, reason: string) => void;
  /** Told why the log cannot be read now, and null once it can again. */
  readonly onTrouble: (reason: string | null) => void;
}

export class Decoder {
  private readonly options: DecoderOptions;
  private readonly epochs: ChannelEpochs;
  private readonly stopping = new AbortController();

  constructor(options: DecoderOptions, epochs: ChannelEpochs) {
    this.options = options;
    this.epochs = epochs;
  }

  /** From now on nothing is tried again. */
  stop(): void {
    this.stopping.abort();
  }

  /** The event frame of a record of a channel topic at once; null when that needs `frameOf`. */
  frameNow(record: LogRecord): EncodedFrame | null {
    if (!this.epochs.has(record.topic)) return null;
    try {
      const frame = this.options.codec.valueOf(CHANNEL_TOPICS.get(record.topic)!, record);
      return encodeEventFrame(frame, this.epochs.of(record.topic), record.offset);
    } catch (error) {
      if (error instanceof CodecError) return null;
      throw error;
    }
  }

  /** The same with all that it takes; null where the record cannot be decoded. */
  async frameOf(record: LogRecord): Promise<EncodedFrame | null> {
    if (!this.epochs.has(record.topic)) this.epochs.fill(await this.readEpochs(), record.topic);
    const frame = await this.valueOf(CHANNEL_TOPICS.get(record.topic)!, record);
    return frame && encodeEventFrame(frame, this.epochs.of(record.topic), record.offset);
  }

  /** What a record holds, after learning its schema; null, counted and told, where it cannot be decoded. */
  async valueOf<T>(topic: Topic<T>, record: LogRecord): Promise<T | null> {
    const { codec, logger, onUnreadable } = this.options;
    try {
      await this.retrying(() => codec.learn(record.value!));
      return codec.valueOf(topic, record);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      const { partition, offset } = record;
      logger.error({ topic: topic.name, partition, offset, error }, 'a record cannot be decoded; passed over');
      onUnreadable(record, error.code);
      return null;
    }
  }

  /** The epochs that the log tells of now. */
  readEpochs(): Promise<Map<string, string>> {
    return this.retrying(() => readEpochs(this.options.log, this.options.codec));
  }

  /** Tries until the log answers: a lost broker stops the fan-out, and only for as long as it lasts. */
  retrying<T>(work: () => Promise<T>): Promise<T> {
    const { logger, onTrouble } = this.options;
    const { signal } = this.stopping;
    return retry(work, {
      signal,
      canRetry: (error) => mayPass(error) && !signal.aborted,
      onFailure: (error, failures) => {
        if (failures === 1) logger.error({ error }, 'events cannot be read; trying again');
        onTrouble(error instanceof Error ? error.message : String(error));
      },
      onRecovered: () => onTrouble(null),
    });
  }
}

const CHANNEL_TOPICS: ReadonlyMap<string, Topic<ChannelFrame>> = new Map(
  Object.values(channelTopics).map((topic) => [topic.name, topic]),
);

/** From a record of the log to the frame that goes to sockets; learns schemas that it meets for the first time. */
import type { Logger } from 'pino';
import { type Codec, CodecError } from '#infra/codec/codec';
import { readEpochs } from '#infra/log/epochs';
import type { EventLog, LogRecord } from '#infra/log/log';
import { mayPass, retry } from '#infra/retry';
import { type ChannelFrame, channelTopics, type RawChannelFrame, rawChannelTopics } from '#schemas/topics/channels';
import type { Topic } from '#schemas/topics/topic';
import { type EncodedFrame, encodeEventFrame } from '../connection/event-frame.ts';
import type { ChannelEpochs } from './channel-epochs.ts';
import { type PayloadAbsence, type RawEntry, type RawEvent, RawPayloads } from './raw-payloads.ts';

/** Payloads that are loaded together, in UTF-16 units; the last one may go beyond. */
const PART_UNITS = 4 * 1024 * 1024;

export interface DecoderOptions {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  /** Told of a record that cannot be decoded, which is passed over. @param reason a short stable code. */
  readonly onUnreadable: (record: LogRecord, reason: string) => void;
  /** Told why the log cannot be read now, and null once it can again. */
  readonly onTrouble: (reason: string | null) => void;
}

/** An event of a raw feed whose payload retention has removed: its number is all that is left. */
export interface RemovedEvent {
  readonly isRemoved: true;
  readonly channel: string;
  readonly seq: number;
  readonly offset: number;
}

/** What becomes of a record of a channel topic. */
export type ChannelEvent = EncodedFrame | RemovedEvent;

export function isRemoved(event: ChannelEvent): event is RemovedEvent {
  return 'isRemoved' in event;
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

  /** For one reader of channel topics. @param isOver whether it waits for payloads no more. */
  openPayloads(isOver: () => boolean): RawPayloads {
    const { log, codec } = this.options;
    return new RawPayloads({ log, codec, isOver });
  }

  /**
   * Fetches the payloads that the wanted ones of these records refer to, so that `eventNow` has them: one wait for all.
   * Gives the records back, in parts where the payloads are too large to be held together.
   */
  async *withPayloads(
    records: readonly LogRecord[],
    isWanted: (record: LogRecord) => boolean,
    payloads: RawPayloads,
  ): AsyncGenerator<readonly LogRecord[], void, void> {
    let entries: RawEntry[] = [];
    let [from, units] = [0, 0];
    for (const [at, record] of records.entries()) {
      const topic = RAW_TOPICS.get(record.topic);
      const frame = topic && isWanted(record) ? this.decodeNow(topic, record) : null;
      if (frame) entries.push([record, frame]);
      units += frame?.length ?? 0;
      if (units < PART_UNITS && at < records.length - 1) continue;
      const loading = entries;
      if (loading.length > 0) await this.retrying(() => payloads.load(loading));
      yield records.slice(from, at + 1);
      payloads.forget();
      entries = [];
      [from, units] = [at + 1, 0];
    }
  }

  /** The event of a record of a channel topic at once; null when that needs `eventOf`. */
  eventNow(record: LogRecord, payloads: RawPayloads): ChannelEvent | null {
    if (!this.epochs.has(record.topic)) return null;
    const topic = FRAME_TOPICS.get(record.topic);
    if (topic) {
      const frame = this.decodeNow(topic, record);
      return frame && this.encode(frame, record);
    }
    const event = payloads.get(record);
    return event ? this.eventOfRaw(event, record) : null;
  }

  /** The same with all that it takes; null where the record or its payload cannot be read. */
  async eventOf(record: LogRecord, payloads: RawPayloads): Promise<ChannelEvent | null> {
    if (!this.epochs.has(record.topic)) this.epochs.fill(await this.readEpochs(), record.topic);
    const topic = FRAME_TOPICS.get(record.topic);
    if (topic) {
      const frame = await this.valueOf(topic, record);
      return frame && this.encode(frame, record);
    }
    const frame = await this.valueOf(RAW_TOPICS.get(record.topic)!, record);
    if (!frame) return null;
    await this.retrying(() => payloads.load([[record, frame]]));
    const { payload } = payloads.get(record)!;
    if ('absence' in payload && payload.absence !== 'removed') this.reportAbsence(record, frame, payload.absence);
    return this.eventOfRaw({ frame, payload }, record);
  }

  /** What a record holds, after learning its schema; null, counted and told, where it cannot be decoded. */
  async valueOf<T>(topic: Topic<T>, record: LogRecord): Promise<T | null> {
    const { codec, logger, onUnreadable } = this.options;
    try {
      await this.retrying(() => codec.learn(record.value!));
      return codec.decodeRecord(topic, record);
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

  /** Null where the schema is not known yet or the record cannot be decoded. */
  private decodeNow<T>(topic: Topic<T>, record: LogRecord): T | null {
    try {
      return this.options.codec.decodeRecord(topic, record);
    } catch (error) {
      if (error instanceof CodecError) return null;
      throw error;
    }
  }

  /** Null where the payload cannot be read. */
  private eventOfRaw({ frame, payload }: RawEvent, record: LogRecord): ChannelEvent | null {
    const { channel, seq, provider, marketId, receivedAt } = frame;
    if ('text' in payload)
      return this.encode({ channel, seq, type: 'raw', provider, marketId, receivedAt, payload: payload.text }, record);
    return payload.absence === 'removed' ? { isRemoved: true, channel, seq, offset: record.offset } : null;
  }

  private encode(frame: ChannelFrame, { topic, offset }: LogRecord): EncodedFrame {
    return encodeEventFrame(frame, this.epochs.of(topic), offset);
  }

  private reportAbsence(record: LogRecord, frame: RawChannelFrame, absence: PayloadAbsence): void {
    const { topic, partition, offset } = record;
    const raw = { topic: frame.topic, partition: frame.partition, offset: frame.offset };
    const { logger, onUnreadable } = this.options;
    logger.error({ topic, partition, offset, raw, absence }, 'the payload of an event cannot be read; passed over');
    onUnreadable(record, `payload_${absence}`);
  }
}

const byName = <T>(topics: readonly Topic<T>[]): ReadonlyMap<string, Topic<T>> =>
  new Map(topics.map((topic) => [topic.name, topic]));
const FRAME_TOPICS = byName([channelTopics.events, channelTopics.organizations]);
const RAW_TOPICS = byName(Object.values(rawChannelTopics));

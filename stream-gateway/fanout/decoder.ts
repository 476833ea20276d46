/**
 * Turns a record of the log into the frame that is sent to sockets, and fetches schemas that it sees for the first
 * time.
 */
import type { Logger } from 'pino';
import { type Codec, CodecError } from '#infra/codec/codec';
import { readEpochs } from '#infra/log/epochs';
import type { EventLog, LogRecord } from '#infra/log/log';
import { isTransient } from '#infra/runtime/retry';
import type { OpenProblems } from '#infra/telemetry/open-problems';
import { type ChannelFrame, channelTopics, type RawChannelFrame, rawChannelTopics } from '#schemas/topics/channels';
import type { Topic } from '#schemas/topics/topic';
import { type EncodedFrame, encodeEventFrame } from '../connection/event-frame.ts';
import type { ChannelEpochs } from './channel-epochs.ts';
import { onceForEach } from './once-for-each.ts';
import { type PayloadAbsence, type RawEntry, type RawEvent, RawPayloads } from './raw-payloads.ts';

/** Payloads that are loaded together, in UTF-16 units; the last one may exceed it. */
const PART_UNITS = 4 * 1024 * 1024;

export interface DecoderOptions {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  /**
   * Called once for a record that cannot be decoded, however often it is read; it is skipped.
   * @param reason a short stable code.
   */
  readonly onUndecodable: (record: LogRecord, reason: string) => void;
  /** Reports that the log cannot be read. */
  readonly problems: OpenProblems;
}

/** An event of a raw feed whose payload retention has removed: only its number is left. */
export interface RemovedEvent {
  readonly isRemoved: true;
  readonly channel: string;
  readonly seq: number;
  readonly offset: number;
}

/** The result of decoding a record of a channel topic. */
export type ChannelEvent = EncodedFrame | RemovedEvent;

export function isRemoved(event: ChannelEvent): event is RemovedEvent {
  return 'isRemoved' in event;
}

interface UndecodableRecord {
  readonly record: LogRecord;
  readonly reason: string;
  readonly message: string;
  /** More fields for the log. */
  readonly details: object;
}

/** After a rebuild another record can have the same offset, but it was appended at another time. */
const keyOfRecord = ({ record: { topic, partition, offset, appendedAt } }: UndecodableRecord) =>
  `${topic} ${partition} ${offset} ${appendedAt}`;

export class Decoder {
  private readonly options: DecoderOptions;
  private readonly epochs: ChannelEpochs;
  private readonly stopping = new AbortController();
  private readonly reportUndecodable: (fault: UndecodableRecord) => void;

  constructor(options: DecoderOptions, epochs: ChannelEpochs) {
    this.options = options;
    this.epochs = epochs;
    const { logger, onUndecodable } = options;
    this.reportUndecodable = onceForEach(keyOfRecord, ({ record, reason, message, details }) => {
      const { topic, partition, offset } = record;
      logger.error({ topic, partition, offset, reason, ...details }, message);
      onUndecodable(record, reason);
    });
  }

  /** Stops the retries of the hub. */
  stop(): void {
    this.stopping.abort();
  }

  /**
   * Creates the payload reader for one reader of channel topics.
   * @param signal aborts once nobody waits for its events: then nothing is retried for it any more.
   */
  openPayloads(signal: AbortSignal = this.stopping.signal): RawPayloads {
    const { log, codec } = this.options;
    return new RawPayloads({ log, codec, signal });
  }

  /**
   * Fetches the payloads of the wanted records at once, so that `tryDecode` finds them. Yields the records, in parts
   * where the payloads are too large to be held together.
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
      const frame = topic && isWanted(record) ? this.tryDecodeValue(topic, record) : null;
      if (frame) entries.push([record, frame]);
      units += frame?.length ?? 0;
      if (units < PART_UNITS && at < records.length - 1) continue;
      const loading = entries;
      if (loading.length > 0) await this.withRetry(() => payloads.load(loading), payloads.signal);
      yield records.slice(from, at + 1);
      payloads.clear();
      entries = [];
      [from, units] = [at + 1, 0];
    }
  }

  /** Decodes a record of a channel topic without waiting; null if that needs `decode`. */
  tryDecode(record: LogRecord, payloads: RawPayloads): ChannelEvent | null {
    if (!this.epochs.has(record.topic)) return null;
    const topic = FRAME_TOPICS.get(record.topic);
    if (topic) {
      const frame = this.tryDecodeValue(topic, record);
      return frame && this.encode(frame, record);
    }
    const event = payloads.get(record);
    return event ? this.encodeRaw(event, record) : null;
  }

  /** Decodes a record and fetches whatever that needs; null if the record or its payload cannot be read. */
  async decode(record: LogRecord, payloads: RawPayloads): Promise<ChannelEvent | null> {
    const { signal } = payloads;
    if (!this.epochs.has(record.topic)) this.epochs.fill(await this.readEpochs(signal), record.topic);
    const topic = FRAME_TOPICS.get(record.topic);
    if (topic) {
      const frame = await this.decodeValue(topic, record, signal);
      return frame && this.encode(frame, record);
    }
    const frame = await this.decodeValue(RAW_TOPICS.get(record.topic)!, record, signal);
    if (!frame) return null;
    await this.withRetry(() => payloads.load([[record, frame]]), signal);
    const { payload } = payloads.get(record)!;
    if ('absence' in payload && payload.absence !== 'removed') this.reportAbsence(record, frame, payload.absence);
    return this.encodeRaw({ frame, payload }, record);
  }

  /** The value of a record, after fetching its schema; null, counted and logged, if it cannot be decoded. */
  async decodeValue<T>(topic: Topic<T>, record: LogRecord, signal?: AbortSignal): Promise<T | null> {
    const { codec } = this.options;
    try {
      await this.withRetry(() => codec.fetchSchema(record.value!), signal);
      return codec.decodeRecord(topic, record);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      const message = 'skipped a record that cannot be decoded';
      this.reportUndecodable({ record, reason: error.code, message, details: { error } });
      return null;
    }
  }

  /** The current epochs in the log. */
  readEpochs(signal?: AbortSignal): Promise<Map<string, string>> {
    return this.withRetry(() => readEpochs(this.options.log, this.options.codec), signal);
  }

  /**
   * Repeats the operation until the log answers: a lost broker pauses the fan-out and never ends it.
   * @param signal ends the retries; those of the hub end with `stop`.
   */
  withRetry<T>(work: () => Promise<T>, signal: AbortSignal = this.stopping.signal): Promise<T> {
    const { logger, problems } = this.options;
    return problems.retry(work, (error) => (error instanceof Error ? error.message : String(error)), {
      signal,
      canRetry: (error) => isTransient(error) && !signal.aborted,
      onFailure: (error, failures) => {
        if (failures === 1) logger.error({ error }, 'could not read events from the log, retrying');
      },
    });
  }

  /** Null if the schema is not known yet or the record cannot be decoded. */
  private tryDecodeValue<T>(topic: Topic<T>, record: LogRecord): T | null {
    try {
      return this.options.codec.decodeRecord(topic, record);
    } catch (error) {
      if (error instanceof CodecError) return null;
      throw error;
    }
  }

  /** Null if the payload cannot be read. */
  private encodeRaw({ frame, payload }: RawEvent, record: LogRecord): ChannelEvent | null {
    const { channel, seq, provider, marketId, receivedAt } = frame;
    if ('text' in payload)
      return this.encode({ channel, seq, type: 'raw', provider, marketId, receivedAt, payload: payload.text }, record);
    return payload.absence === 'removed' ? { isRemoved: true, channel, seq, offset: record.offset } : null;
  }

  private encode(frame: ChannelFrame, { topic, offset }: LogRecord): EncodedFrame {
    return encodeEventFrame(frame, this.epochs.of(topic), offset);
  }

  private reportAbsence(record: LogRecord, frame: RawChannelFrame, absence: PayloadAbsence): void {
    const raw = { topic: frame.topic, partition: frame.partition, offset: frame.offset };
    const message = 'skipped an event whose payload cannot be read';
    this.reportUndecodable({ record, reason: `payload_${absence}`, message, details: { raw } });
  }
}

const byName = <T>(topics: readonly Topic<T>[]): ReadonlyMap<string, Topic<T>> =>
  new Map(topics.map((topic) => [topic.name, topic]));
const FRAME_TOPICS = byName([channelTopics.events, channelTopics.organizations]);
const RAW_TOPICS = byName(Object.values(rawChannelTopics));

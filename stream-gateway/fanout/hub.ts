/**
 * From the log to the sockets: one reading of the channel topics, each event encoded once, each touched socket flushed
 * once per batch. Late joiners with a cursor read the log for themselves and change over without a hole or a repeat.
 */
import { setImmediate as yieldToIo } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import { CodecError } from '#infra/codec/codec';
import { readEpochs } from '#infra/log/epochs';
import type { EventLog, LogReader, LogRecord } from '#infra/log/log';
import { type ChannelFrame, channelTopics } from '#schemas/topics/channels';
import { epochTopic } from '#schemas/topics/control';
import { partitionOf, type Topic } from '#schemas/topics/topic';
import type { Connection } from '../connection/connection.ts';
import type { Subscription } from '../connection/subscription.ts';
import { type EncodedFrame, encodeEventFrame } from './event-frame.ts';

const POLL_RECORDS = 2_048;
const POLL_TIMEOUT_MS = 250;

/** Where a channel lives in the log. */
export interface ChannelPlace {
  readonly topic: Topic<ChannelFrame>;
  readonly partition: number;
}

export interface HubOptions {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
}

export class Hub {
  private readonly options: HubOptions;
  private readonly byChannel = new Map<string, Set<Subscription>>();
  /** Newest dispatched offset, by `topic/partition`. */
  private readonly positions = new Map<string, number>();
  private epochs = new Map<string, string>();
  private reader: LogReader | null = null;
  private running: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(options: HubOptions) {
    this.options = options;
  }

  /** Begins at the end of the log. @param onFault told when reading ends by a fault. */
  async start(onFault: (error: unknown) => void): Promise<void> {
    const { log, codec } = this.options;
    const topics = Object.values(channelTopics);
    await log.createTopics([...topics, epochTopic]);
    await codec.prepare([...topics, epochTopic]);
    const from = [];
    for (const topic of topics) {
      for (let partition = 0; partition < topic.partitions; partition += 1) {
        const at = { topic: topic.name, partition };
        const { next } = await log.bounds(at);
        // The last record and not the end: on Kafka marks that are no records may stand between the two.
        this.positions.set(`${at.topic}/${partition}`, (await log.last(at))?.offset ?? -1);
        from.push({ ...at, offset: next });
      }
    }
    this.reader = await log.reader(from);
    this.running = this.run(this.reader);
    this.running.catch(onFault);
  }

  async close(): Promise<void> {
    this.stopping = true;
    await this.running.catch(() => {});
    await this.reader?.close();
  }

  /** The epoch of a channel topic; read anew when it is not known yet. */
  async epochOf(topic: string): Promise<string> {
    if (!this.epochs.has(topic)) this.epochs = await readEpochs(this.options.log, this.options.codec);
    return this.epochs.get(topic) ?? 'none';
  }

  placeOf(subscription: Subscription): ChannelPlace {
    const topic = channelTopics[subscription.channel.writer];
    return { topic, partition: partitionOf(subscription.channelName, topic.partitions) };
  }

  /** Newest offset of a place that went out to live subscriptions. */
  positionOf(place: ChannelPlace): number {
    return this.positions.get(`${place.topic.name}/${place.partition}`)!;
  }

  add(subscription: Subscription): void {
    const set = this.byChannel.get(subscription.channelName);
    if (set) set.add(subscription);
    else this.byChannel.set(subscription.channelName, new Set([subscription]));
  }

  remove(subscription: Subscription): void {
    subscription.closed = true;
    const set = this.byChannel.get(subscription.channelName);
    set?.delete(subscription);
    if (set?.size === 0) this.byChannel.delete(subscription.channelName);
  }

  /** Every open subscription of a channel. */
  subscribersOf(channelName: string): Iterable<Subscription> {
    return this.byChannel.get(channelName) ?? [];
  }

  private async run(reader: LogReader): Promise<void> {
    const touched: Connection[] = [];
    while (!this.stopping) {
      const { records } = await reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
      for (const record of records) {
        const subscribers = this.byChannel.get(record.key);
        // The key is the channel: a frame that nobody asked for is not even decoded.
        if (subscribers && record.value) {
          const frame = this.encodeNow(record) ?? (await this.encode(record));
          for (const subscription of subscribers) {
            if (!subscription.live || record.offset <= subscription.afterOffset) continue;
            if (subscription.connection.gather(frame, subscription)) touched.push(subscription.connection);
          }
        }
        this.positions.set(`${record.topic}/${record.partition}`, record.offset);
      }
      const nowMs = Date.now();
      for (const connection of touched) connection.flush(nowMs);
      touched.length = 0;
      await yieldToIo();
    }
  }

  /** The event frame of a record of a channel topic. */
  async encode(record: LogRecord): Promise<EncodedFrame> {
    const ready = this.encodeNow(record);
    if (ready) return ready;
    await this.epochOf(record.topic);
    await this.options.codec.learn(record.value!);
    const frame = this.encodeNow(record);
    if (!frame) throw new Error(`${record.topic} has no epoch; start the processors role once`);
    return frame;
  }

  /** Null when the epoch or the schema of the record has to be looked up first. */
  private encodeNow(record: LogRecord): EncodedFrame | null {
    const epoch = this.epochs.get(record.topic);
    if (!epoch) return null;
    try {
      return encodeEventFrame(
        this.options.codec.decode(CHANNEL_TOPICS.get(record.topic)!, record.value!),
        epoch,
        record.offset,
      );
    } catch (error) {
      if (error instanceof CodecError && error.code === 'unknown_schema') return null;
      throw error;
    }
  }
}

const CHANNEL_TOPICS: ReadonlyMap<string, Topic<ChannelFrame>> = new Map(
  Object.values(channelTopics).map((topic) => [topic.name, topic]),
);

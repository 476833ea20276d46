/**
 * From the log to the sockets: one reading of the channel topics, each event encoded once, each touched socket flushed
 * once per batch. Late joiners with a cursor read the log for themselves and change over without a hole or a repeat.
 */
import { setTimeout as sleep, setImmediate as yieldToIo } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Codec, CodecError } from '#infra/codec/codec';
import { RegistryError } from '#infra/codec/confluent-registry';
import { readEpochs } from '#infra/log/epochs';
import { type EventLog, LogError, type LogReader, type LogRecord, type ReadBatch } from '#infra/log/log';
import { backoff } from '#infra/retry';
import { formatCursor } from '#schemas/stream/cursor';
import { type ChannelFrame, channelTopics } from '#schemas/topics/channels';
import { epochTopic } from '#schemas/topics/control';
import { partitionOf, type Topic } from '#schemas/topics/topic';
import { gapOf } from '../channels/gap.ts';
import type { Connection } from '../connection/connection.ts';
import type { Subscription } from '../connection/subscription.ts';
import { type EncodedFrame, encodeEventFrame } from './event-frame.ts';

const POLL_RECORDS = 2_048;
const POLL_TIMEOUT_MS = 250;
/** Batches that follow one another faster are gathered: a cork per socket and millisecond is what sockets like best. */
const GATHER_MS = 1;
/** Sockets are flushed at the latest after so much was gathered, so that a large batch finds room in a quick client's. */
const FLUSH_BYTES = 512 * 1024;
/** What stands for the epoch of a topic that nobody has written yet. */
const NO_EPOCH = 'none';
const EPOCHS_AT = { topic: epochTopic.name, partition: 0 };

/** Where a channel lives in the log. */
export interface ChannelPlace {
  readonly topic: Topic<ChannelFrame>;
  readonly partition: number;
}

export interface HubOptions {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  /** Told of a record that cannot be decoded, which is passed over. @param reason a short stable code. */
  readonly onUnreadable: (record: LogRecord, reason: string) => void;
  /** Told why the log cannot be read now, and null once it can again. */
  readonly onTrouble: (reason: string | null) => void;
}

export class Hub {
  private readonly options: HubOptions;
  private readonly byChannel = new Map<string, Set<Subscription>>();
  /** Newest dispatched offset, by `topic/partition`. */
  private readonly positions = new Map<string, number>();
  private epochs = new Map<string, string>();
  private readonly touched: Connection[] = [];
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
    // Bounds before the reading of what is there: an epoch that begins between the two is read twice, never missed.
    const from = [{ ...EPOCHS_AT, offset: (await log.bounds(EPOCHS_AT)).next }];
    this.epochs = await readEpochs(log, codec);
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

  /** The epoch of a channel topic. */
  epochOf(topic: string): string {
    return this.epochs.get(topic) ?? NO_EPOCH;
  }

  placeOf(subscription: Pick<Subscription, 'channel' | 'channelName'>): ChannelPlace {
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

  /** The event frame of a record of a channel topic, or null where it cannot be decoded. */
  async encode(record: LogRecord): Promise<EncodedFrame | null> {
    await this.retrying(async () => {
      if (!this.epochs.has(record.topic)) this.epochs = await readEpochs(this.options.log, this.options.codec);
      // A topic that was written without one: its numbers hold all the same.
      if (!this.epochs.has(record.topic)) this.epochs.set(record.topic, NO_EPOCH);
    });
    try {
      await this.retrying(() => this.options.codec.learn(record.value!));
      const frame = this.encodeNow(record);
      if (frame) return frame;
      throw new CodecError('unknown_schema', 'its schema id is not in the registry');
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      const { topic, partition, offset } = record;
      this.options.logger.error({ topic, partition, offset, error }, 'a channel frame cannot be decoded; passed over');
      this.options.onUnreadable(record, error.code);
      return null;
    }
  }

  /** Like `encode` at once; null when that needs `encode`. */
  encodeNow(record: LogRecord): EncodedFrame | null {
    const epoch = this.epochs.get(record.topic);
    if (epoch === undefined) return null;
    try {
      const frame = this.options.codec.decode(CHANNEL_TOPICS.get(record.topic)!, record.value!);
      return encodeEventFrame(frame, epoch, record.offset);
    } catch (error) {
      if (error instanceof CodecError) return null;
      throw error;
    }
  }

  private async run(reader: LogReader): Promise<void> {
    while (!this.stopping) {
      const { records } = await this.retrying<ReadBatch>(() => reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS));
      const began = performance.now();
      this.followEpochs(records);
      await this.dispatch(records);
      this.flush();
      if (records.length > 0 && performance.now() - began < GATHER_MS) await sleep(GATHER_MS);
      else await yieldToIo();
    }
  }

  private async dispatch(records: readonly LogRecord[]): Promise<void> {
    let bytes = 0;
    for (const record of records) {
      if (record.topic === epochTopic.name) continue;
      // The key is the channel: a frame that nobody asked for is not even decoded.
      if (record.value && this.byChannel.has(record.key)) {
        const frame = this.encodeNow(record) ?? (await this.encode(record));
        if (frame) bytes += this.gather(frame, record.key);
      }
      this.positions.set(`${record.topic}/${record.partition}`, record.offset);
      if (bytes < FLUSH_BYTES) continue;
      bytes = 0;
      this.flush();
      await yieldToIo();
    }
  }

  private gather(frame: EncodedFrame, channelName: string): number {
    for (const subscription of this.subscribersOf(channelName)) {
      if (!subscription.live || frame.offset <= subscription.afterOffset) continue;
      if (subscription.connection.gather(frame, subscription)) this.touched.push(subscription.connection);
    }
    return frame.bytes.length;
  }

  private flush(): void {
    for (const connection of this.touched) connection.flush();
    this.touched.length = 0;
  }

  /** First of all in a batch, since frames of a new epoch come after its beginning. */
  private followEpochs(records: readonly LogRecord[]): void {
    for (const { topic, key, value } of records) {
      if (topic !== epochTopic.name || !value) continue;
      const { epoch } = this.options.codec.decode(epochTopic, value);
      const old = this.epochs.get(key);
      if (old === epoch) continue;
      this.epochs.set(key, epoch);
      if (old !== undefined && old !== NO_EPOCH) this.startOver(key, old, epoch);
    }
  }

  /** A topic was rebuilt: its numbers and offsets start over, and every subscription of it is told. */
  private startOver(topic: string, old: string, epoch: string): void {
    for (const name of this.positions.keys()) if (name.startsWith(`${topic}/`)) this.positions.set(name, -1);
    for (const subscriptions of this.byChannel.values()) {
      for (const subscription of subscriptions) {
        if (this.placeOf(subscription).topic.name !== topic) continue;
        const from = formatCursor({ epoch: old, seq: null, offset: subscription.afterOffset });
        subscription.afterOffset = -1;
        if (!subscription.acknowledged) continue;
        const to = formatCursor({ epoch, seq: null, offset: -1 });
        subscription.connection.tell(gapOf(subscription, from, to));
      }
    }
  }

  /** Tries until the log answers: a lost broker stops the fan-out, and only for as long as it lasts. */
  private async retrying<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const result = await work();
        if (attempt > 0) this.options.onTrouble(null);
        return result;
      } catch (error) {
        const known = error instanceof LogError || error instanceof RegistryError;
        if (!known || !error.canRetry || this.stopping) throw error;
        if (attempt === 0) this.options.logger.error({ error }, 'events cannot be read; trying again');
        this.options.onTrouble(error.message);
        await backoff(attempt);
      }
    }
  }
}

const CHANNEL_TOPICS: ReadonlyMap<string, Topic<ChannelFrame>> = new Map(
  Object.values(channelTopics).map((topic) => [topic.name, topic]),
);

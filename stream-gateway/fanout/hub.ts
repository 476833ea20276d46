/**
 * From the log to the sockets: one reading of the channel topics, each event encoded once, each touched socket flushed
 * once per batch. Late joiners with a cursor read the log for themselves and change over without a hole or a repeat.
 */
import { setTimeout as sleep, setImmediate as yieldToIo } from 'node:timers/promises';
import { readEpochs } from '#infra/log/epochs';
import type { LogReader, LogRecord, TopicPartition } from '#infra/log/log';
import { formatCursor } from '#schemas/stream/cursor';
import { channelTopics } from '#schemas/topics/channels';
import { epochTopic } from '#schemas/topics/control';
import { rawTopics } from '#schemas/topics/raw';
import { partitionOf, type Topic } from '#schemas/topics/topic';
import { gapOf } from '../channels/gap.ts';
import type { Connection } from '../connection/connection.ts';
import type { Subscription } from '../connection/subscription.ts';
import { ChannelEpochs } from './channel-epochs.ts';
import { type ChannelEvent, Decoder, type DecoderOptions, isRemoved } from './decoder.ts';
import { LiveChannel } from './live-channel.ts';
import { sendMissing, sendRemoved } from './live-gaps.ts';
import type { RawPayloads } from './raw-payloads.ts';

const POLL_RECORDS = 2_048;
const POLL_TIMEOUT_MS = 250;
/** Batches that follow one another faster are gathered: a cork per socket and millisecond is what sockets like best. */
const GATHER_MS = 1;
/** Sockets are flushed at the latest after so much was gathered, so that a large batch finds room in a quick client's. */
const FLUSH_BYTES = 512 * 1024;
const EPOCHS_AT = { topic: epochTopic.name, partition: 0 };

/** Where a channel lives in the log. */
export interface ChannelPlace {
  readonly topic: Topic;
  readonly partition: number;
}

/** Numbers of a channel that the log does not hold, both ends included. */
export interface Hole {
  readonly topic: string;
  readonly channel: string;
  readonly fromSeq: number;
  readonly toSeq: number;
}

export interface HubOptions extends DecoderOptions {
  /** Told of numbers that are missing in the log, by everyone who meets the place. */
  readonly onHole: (hole: Hole) => void;
}

export class Hub {
  private readonly options: HubOptions;
  private readonly epochs = new ChannelEpochs();
  /** Makes events of records; for readings of history, too. */
  readonly decoder: Decoder;
  private readonly payloads: RawPayloads;
  private readonly channels = new Map<string, LiveChannel>();
  /** Newest dispatched offset of each partition, by topic. */
  private readonly positions = new Map<string, number[]>();
  /** Event time up to which every event of each partition was dispatched, by topic. */
  private readonly times = new Map<string, number[]>();
  /** Channels with a run to send, and connections to flush. */
  private readonly gathered: LiveChannel[] = [];
  private readonly touched: Connection[] = [];
  /** Channels whose newest events are lost, which nobody was sent a gap for yet. */
  private readonly removed: LiveChannel[] = [];
  /** Whether the epochs were looked up because of a repeat in the batch at hand. */
  private lookedForEpochs = false;
  private reader: LogReader | null = null;
  private running: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(options: HubOptions) {
    this.options = options;
    this.decoder = new Decoder(options, this.epochs);
    this.payloads = this.decoder.openPayloads(() => this.stopping);
  }

  /** Begins at the end of the log. @param onFault told when reading ends by a fault. */
  async start(onFault: (error: unknown) => void): Promise<void> {
    const { log, codec } = this.options;
    const topics = Object.values(channelTopics);
    const read = [...topics, ...rawTopics.values(), epochTopic];
    await log.createTopics(read);
    await codec.prepare(read);
    // Bounds before the reading of what is there: an epoch that begins between the two is read twice, never missed.
    const from = [{ ...EPOCHS_AT, offset: (await log.bounds(EPOCHS_AT)).next }];
    for (const [topic, epoch] of await readEpochs(log, codec)) this.epochs.begin(topic, epoch, null);
    for (const topic of topics) {
      const positions: number[] = [];
      // The newest event of any partition: until its writer says how far it is, so far it has certainly come.
      let time = Number.NEGATIVE_INFINITY;
      for (let partition = 0; partition < topic.partitions; partition += 1) {
        const at = { topic: topic.name, partition };
        const { next } = await log.bounds(at);
        // The last record and not the end: on Kafka marks that are no records may stand between the two.
        const last = await log.last(at);
        positions.push(last?.offset ?? -1);
        time = Math.max(time, last?.receivedAt ?? time);
        from.push({ ...at, offset: next });
      }
      this.positions.set(topic.name, positions);
      this.times.set(
        topic.name,
        positions.map(() => time),
      );
    }
    this.reader = await log.reader(from);
    this.running = this.run(this.reader);
    // A wait for the log that the close cut short is no fault.
    this.running.catch((error: unknown) => this.stopping || onFault(error));
  }

  async close(): Promise<void> {
    this.stopping = true;
    this.decoder.stop();
    await this.running.catch(() => {});
    await this.reader?.close();
    await this.payloads.close();
  }

  /** The epoch of a channel topic. */
  epochOf(topic: string): string {
    return this.epochs.of(topic);
  }

  placeOf(subscription: Pick<Subscription, 'channel' | 'channelName'>): ChannelPlace {
    const topic = channelTopics[subscription.channel.writer];
    return { topic, partition: partitionOf(subscription.channelName, topic.partitions) };
  }

  /** Newest offset of a place that went out to live subscriptions. */
  positionOf({ topic, partition }: ChannelPlace): number {
    return this.positions.get(topic.name)![partition]!;
  }

  /** Event time up to which every event of a channel topic was dispatched; null before any is known. */
  timeOf(topic: string): number | null {
    const time = Math.min(...this.times.get(topic)!);
    return Number.isFinite(time) ? time : null;
  }

  add(subscription: Subscription): void {
    const channel = this.channels.get(subscription.channelName) ?? new LiveChannel();
    this.channels.set(subscription.channelName, channel);
    channel.subscriptions.add(subscription);
  }

  remove(subscription: Subscription): void {
    subscription.closed = true;
    const channel = this.channels.get(subscription.channelName);
    channel?.subscriptions.delete(subscription);
    if (channel?.subscriptions.size === 0) this.channels.delete(subscription.channelName);
  }

  /** Every open subscription of a channel. */
  subscribersOf(channelName: string): Iterable<Subscription> {
    return this.channels.get(channelName)?.subscriptions ?? [];
  }

  /** Every open subscription. */
  *subscriptions(): Iterable<Subscription> {
    for (const { subscriptions } of this.channels.values()) yield* subscriptions;
  }

  /** Number of the newest dispatched event of a channel that somebody is subscribed to; 0 while none is known. */
  newestSeqOf(channelName: string): number {
    return this.channels.get(channelName)?.newestSeq ?? 0;
  }

  /** From now on the subscription gets what comes after its `afterOffset` and `afterSeq`. */
  goLive(subscription: Subscription): void {
    // Its connection can end at the very frame that acknowledges it: nobody else need be on the channel then.
    if (subscription.closed) return;
    subscription.live = true;
    const channel = this.channels.get(subscription.channelName)!;
    // What a replay read last is where the channel stands, so that a hole right after it is seen. A number that only the
    // client's cursor tells of is not: it would decide what everyone else is sent.
    if (subscription.afterSeqIsGiven) return;
    if (channel.newestSeq > 0 || subscription.afterOffset !== this.positionOf(this.placeOf(subscription))) return;
    channel.newestSeq = subscription.afterSeq;
    channel.newestOffset = subscription.afterOffset;
  }

  /** Tells of numbers that are missing between two events of a channel. */
  noteHole(subscription: Pick<Subscription, 'channel' | 'channelName'>, fromSeq: number, toSeq: number): void {
    const { channelName: channel } = subscription;
    this.options.onHole({ topic: this.placeOf(subscription).topic.name, channel, fromSeq, toSeq });
  }

  private async run(reader: LogReader): Promise<void> {
    const isWanted = (record: LogRecord) => this.wantedBy(record) !== undefined;
    while (!this.stopping) {
      const { records, watermarks } = await this.decoder.retrying(() => reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS));
      const began = performance.now();
      this.lookedForEpochs = false;
      await this.followEpochs(records);
      for await (const part of this.decoder.withPayloads(records, isWanted, this.payloads)) {
        await this.dispatch(part);
        this.flush();
      }
      await this.payloads.closeUnused(began);
      for (const mark of watermarks) this.noteTime(mark, mark.watermark);
      if (records.length > 0 && performance.now() - began < GATHER_MS) await sleep(GATHER_MS);
      else await yieldToIo();
    }
  }

  /** The channel of a record that is to be sent. The key is the channel: what nobody asked for is not even decoded. */
  private wantedBy(record: LogRecord): LiveChannel | undefined {
    const channel = this.channels.get(record.key);
    return channel && record.value && !this.epochs.isLeftOver(record) ? channel : undefined;
  }

  private async dispatch(records: readonly LogRecord[]): Promise<void> {
    let bytes = 0;
    for (const record of records) {
      if (record.topic === epochTopic.name) continue;
      const channel = this.wantedBy(record);
      if (channel) {
        let event = this.decoder.eventNow(record, this.payloads) ?? (await this.eventLater(record));
        if (event && event.seq <= channel.newestSeq) event = await this.eventOfNewEpoch(record, channel);
        if (event) bytes += this.gather(channel, event);
      }
      this.positions.get(record.topic)![record.partition] = record.offset;
      this.noteTime(record, record.receivedAt);
      if (bytes < FLUSH_BYTES) continue;
      bytes = 0;
      this.flush();
      await yieldToIo();
    }
  }

  private noteTime({ topic, partition }: TopicPartition, time: number): void {
    const times = this.times.get(topic);
    if (times && time > times[partition]!) times[partition] = time;
  }

  /** Nothing may be held back over a wait: who joins meanwhile counts as having had what was dispatched. */
  private eventLater(record: LogRecord): Promise<ChannelEvent | null> {
    this.flush();
    return this.decoder.eventOf(record, this.payloads);
  }

  /**
   * A number that came before: either the log holds the event twice (a producer's or a stage's retry), or the topic was
   * rebuilt and its epoch, which stands in another topic, has not been read yet. Null for the repeat.
   */
  private async eventOfNewEpoch(record: LogRecord, channel: LiveChannel): Promise<ChannelEvent | null> {
    this.flush();
    if (!this.lookedForEpochs) {
      this.lookedForEpochs = true;
      for (const [topic, epoch] of await this.decoder.readEpochs()) await this.beginEpoch(topic, epoch, null);
    }
    const event = this.decoder.eventNow(record, this.payloads);
    if (event && event.seq > channel.newestSeq) return event;
    this.options.logger.debug({ channel: record.key, offset: record.offset }, 'an event that the log holds twice');
    return null;
  }

  private gather(channel: LiveChannel, event: ChannelEvent): number {
    if (event.seq > channel.newestSeq + 1) this.tellHole(channel, event);
    if (isRemoved(event)) {
      // What was gathered before it goes out first.
      if (!channel.removedAfter) this.flush();
      if (channel.remove(event)) this.removed.push(channel);
      return 0;
    }
    if (channel.removedAfter) this.flush();
    if (channel.gather(event)) this.gathered.push(channel);
    return event.size;
  }

  private tellHole(channel: LiveChannel, event: ChannelEvent): void {
    this.flush();
    const [subscription] = channel.subscriptions;
    if (!subscription) return;
    if (channel.newestSeq > 0) this.noteHole(subscription, channel.newestSeq + 1, event.seq - 1);
    // The gap over events without payloads covers it.
    if (!isRemoved(event)) sendMissing(channel, event, this.epochOfChannel(subscription));
  }

  private epochOfChannel(subscription: Subscription): string {
    return this.epochOf(this.placeOf(subscription).topic.name);
  }

  private flush(): void {
    for (const channel of this.gathered) {
      const run = channel.takeRun();
      for (const subscription of channel.subscriptions)
        if (subscription.live && subscription.connection.gather(run, subscription))
          this.touched.push(subscription.connection);
    }
    this.gathered.length = 0;
    for (const connection of this.touched) connection.flush();
    this.touched.length = 0;
    for (const channel of this.removed) {
      const [subscription] = channel.subscriptions;
      if (subscription) sendRemoved(channel, this.epochOfChannel(subscription));
    }
    this.removed.length = 0;
  }

  /** First of all in a batch, since frames of a new epoch come after its beginning. */
  private async followEpochs(records: readonly LogRecord[]): Promise<void> {
    for (const record of records) {
      if (record.topic !== epochTopic.name || !record.value) continue;
      const value = await this.decoder.valueOf(epochTopic, record);
      if (value) await this.beginEpoch(record.key, value.epoch, record.appendedAt);
    }
  }

  private async beginEpoch(topic: string, epoch: string, appendedAt: number | null): Promise<void> {
    const positions = this.positions.get(topic);
    if (!positions || this.epochs.of(topic) === epoch) return;
    const ends: number[] = [];
    for (const partition of positions.keys())
      ends.push((await this.decoder.retrying(() => this.options.log.bounds({ topic, partition }))).next);
    const before = this.epochs.begin(topic, epoch, appendedAt);
    if (before === null) return;
    this.times.get(topic)!.fill(Number.NEGATIVE_INFINITY);
    // Embedded, offsets start over; on Kafka they go on, and what went out already did so.
    for (const [partition, next] of ends.entries()) positions[partition] = Math.min(positions[partition]!, next - 1);
    for (const [name, channel] of this.channels) this.startOver(name, channel, { topic, before, epoch });
  }

  /** A topic was rebuilt: its numbers start over, and every subscription of it is told. */
  private startOver(
    name: string,
    channel: LiveChannel,
    { topic, before, epoch }: { topic: string; before: string; epoch: string },
  ): void {
    for (const subscription of channel.subscriptions) {
      if (this.placeOf(subscription).topic.name !== topic) return;
      const known = Math.max(subscription.afterOffset, subscription.live ? channel.newestOffset : -1);
      const from = formatCursor({ epoch: before, channel: name, seq: null, offset: known });
      subscription.afterOffset = -1;
      subscription.afterSeq = 0;
      subscription.afterSeqIsGiven = false;
      subscription.removedAfter = null;
      if (!subscription.acknowledged) continue;
      const to = formatCursor({ epoch, channel: name, seq: null, offset: -1 });
      subscription.connection.tell(gapOf(subscription, from, to));
    }
    channel.startOver();
  }
}

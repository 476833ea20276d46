/**
 * Sends events from the log to the sockets: reads the channel topics once, encodes each event once, and flushes each
 * affected socket once per batch. Subscriptions with a cursor read the log by themselves and switch to live delivery
 * without a gap or a repeat.
 */
import { setTimeout as sleep, setImmediate as yieldToIo } from 'node:timers/promises';
import { readEpochs } from '#infra/log/epochs';
import type { LogReader, LogRecord } from '#infra/log/log';
import { channelTopics } from '#schemas/topics/channels';
import { epochTopic } from '#schemas/topics/control';
import { rawTopics } from '#schemas/topics/raw';
import { partitionOf, type Topic } from '#schemas/topics/topic';
import { cursorOf, sendGap } from '../channels/gap.ts';
import type { Connection } from '../connection/connection.ts';
import type { Subscription } from '../connection/subscription.ts';
import { ChannelEpochs } from './channel-epochs.ts';
import { type ChannelEvent, Decoder, type DecoderOptions, isRemoved } from './decoder.ts';
import { DispatchedPositions } from './dispatched-positions.ts';
import { LiveChannel } from './live-channel.ts';
import { sendMissingGaps, sendRemovedGaps } from './live-gaps.ts';
import type { RawPayloads } from './raw-payloads.ts';

const POLL_RECORDS = 2_048;
const POLL_TIMEOUT_MS = 250;
/** Batches that follow each other faster are combined: one cork per socket and millisecond is the most efficient. */
const COMBINE_MS = 1;
/** Sockets are flushed after this many buffered bytes, so that a large batch fits the queue of a quick client. */
const FLUSH_BYTES = 512 * 1024;
const EPOCHS_AT = { topic: epochTopic.name, partition: 0 };

/** The partition of a channel in the log. */
export interface ChannelLocation {
  readonly topic: Topic;
  readonly partition: number;
}

/** Numbers of a channel that the log does not hold, both ends included. */
export interface SequenceGap {
  readonly topic: string;
  readonly channel: string;
  readonly epoch: string;
  readonly fromSeq: number;
  readonly toSeq: number;
}

export interface HubOptions extends DecoderOptions {
  /** Called for numbers that are missing in the log, each time the hub or a replay finds the gap. */
  readonly onGap: (gap: SequenceGap) => void;
}

export class Hub {
  private readonly options: HubOptions;
  private readonly epochs = new ChannelEpochs();
  /** Turns records into events; replays use it too. */
  readonly decoder: Decoder;
  private readonly payloads: RawPayloads;
  private readonly channels = new Map<string, LiveChannel>();
  private readonly positions = new DispatchedPositions();
  /** Channels with buffered events, and connections to flush. */
  private readonly bufferedChannels: LiveChannel[] = [];
  private readonly dirtyConnections: Connection[] = [];
  /** Channels whose newest events lost their payloads, and whose subscribers were not sent a gap yet. */
  private readonly removed: LiveChannel[] = [];
  /** True if a repeated number in the current batch has made the hub read the epochs again. */
  private epochsRefreshed = false;
  private reader: LogReader | null = null;
  private running: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(options: HubOptions) {
    this.options = options;
    this.decoder = new Decoder(options, this.epochs);
    this.payloads = this.decoder.openPayloads();
  }

  /** Starts at the end of the log. Calls `onFault` when reading ends by a fault. */
  async start(onFault: (error: unknown) => void): Promise<void> {
    const { log, codec } = this.options;
    const topics = Object.values(channelTopics);
    const read = [...topics, ...rawTopics.values(), epochTopic];
    await log.createTopics(read);
    await codec.prepare(read);
    // The bounds are read before the epochs: an epoch that begins in between is read twice, never missed.
    const from = [{ ...EPOCHS_AT, offset: (await log.bounds(EPOCHS_AT)).next }];
    for (const [topic, epoch] of await readEpochs(log, codec)) this.epochs.begin(topic, epoch, null);
    for (const topic of topics) from.push(...(await this.positions.open(log, topic)));
    this.reader = await log.reader(from);
    this.running = this.run(this.reader);
    // An error of a read that closing aborted is no fault.
    this.running.catch((error: unknown) => this.stopping || onFault(error));
  }

  async close(): Promise<void> {
    this.stopping = true;
    this.decoder.stop();
    this.reader?.endWaits();
    await this.running.catch(() => {});
    await this.reader?.close();
    await this.payloads.close();
  }

  /** The epoch of a channel topic. */
  epochOf(topic: string): string {
    return this.epochs.of(topic);
  }

  epochOfChannel(subscription: Pick<Subscription, 'channel' | 'channelName'>): string {
    return this.epochOf(this.locationOf(subscription).topic.name);
  }

  locationOf(subscription: Pick<Subscription, 'channel' | 'channelName'>): ChannelLocation {
    const topic = channelTopics[subscription.channel.writer];
    return { topic, partition: partitionOf(subscription.channelName, topic.partitions) };
  }

  /** Newest offset of the channel's partition that was sent to live subscriptions. */
  dispatchedOffset(subscription: Pick<Subscription, 'channel' | 'channelName'>): number {
    const { topic, partition } = this.locationOf(subscription);
    return this.positions.offsetOf({ topic: topic.name, partition });
  }

  /** Event time up to which every event of a channel topic was dispatched; null before any is known. */
  timeOf(topic: string): number | null {
    return this.positions.timeOf(topic);
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

  /** Number of the newest dispatched event of a channel with subscribers; 0 if none is known. */
  newestSeqOf(channelName: string): number {
    return this.channels.get(channelName)?.newestSeq ?? 0;
  }

  /** Makes a subscription live: it gets what comes after its progress. */
  goLive(subscription: Subscription): void {
    // Sending the acknowledgement can close the connection; then the channel may have no subscribers any more.
    if (subscription.closed) return;
    subscription.live = true;
    const channel = this.channels.get(subscription.channelName)!;
    // The channel continues from what a replay read last, so that a gap right after it is detected. A number that comes
    // only from a client's cursor is ignored: it would decide what everyone else is sent.
    const { isSeqFromClient, seq, offset } = subscription.progress;
    if (isSeqFromClient || channel.newestSeq > 0 || offset !== this.dispatchedOffset(subscription)) return;
    channel.newestSeq = seq;
    channel.newestOffset = offset;
  }

  /** Reports numbers that are missing between two events of a channel. */
  reportGap(subscription: Pick<Subscription, 'channel' | 'channelName'>, fromSeq: number, toSeq: number): void {
    const { name: topic } = this.locationOf(subscription).topic;
    this.options.onGap({ topic, channel: subscription.channelName, epoch: this.epochOf(topic), fromSeq, toSeq });
  }

  private async run(reader: LogReader): Promise<void> {
    const isWanted = (record: LogRecord) => this.subscribedChannel(record) !== undefined;
    while (!this.stopping) {
      const { records, watermarks } = await this.decoder.withRetry(() => reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS));
      const startedAt = performance.now();
      this.epochsRefreshed = false;
      await this.followEpochs(records);
      for await (const part of this.decoder.withPayloads(records, isWanted, this.payloads)) {
        await this.dispatch(part);
        this.flush();
      }
      await this.payloads.closeUnused(startedAt);
      for (const mark of watermarks) this.positions.advanceTime(mark, mark.watermark);
      if (records.length > 0 && performance.now() - startedAt < COMBINE_MS) await sleep(COMBINE_MS);
      else await yieldToIo();
    }
  }

  /** The channel of a record, if it has subscribers. The key is the channel, so other records are not decoded. */
  private subscribedChannel(record: LogRecord): LiveChannel | undefined {
    const channel = this.channels.get(record.key);
    return channel && record.value && !this.epochs.isFromOldEpoch(record) ? channel : undefined;
  }

  private async dispatch(records: readonly LogRecord[]): Promise<void> {
    let bytes = 0;
    for (const record of records) {
      if (record.topic === epochTopic.name) continue;
      let channel = this.subscribedChannel(record);
      if (channel) {
        let event = this.decoder.tryDecode(record, this.payloads);
        if (!event) {
          // A subscription that joins during the wait starts after what was dispatched; if all others leave, the
          // channel starts again.
          this.flush();
          event = await this.decoder.decode(record, this.payloads);
          channel = this.subscribedChannel(record);
        }
        if (event && channel && event.seq <= channel.newestSeq) {
          event = await this.decodeInNewEpoch(record);
          channel = this.subscribedChannel(record);
        }
        if (event && channel) bytes += this.buffer(channel, event);
      }
      this.positions.advance(record);
      if (bytes < FLUSH_BYTES) continue;
      bytes = 0;
      this.flush();
      await yieldToIo();
    }
  }

  /**
   * Handles a number that came before: either the log holds the event twice (a producer's or a stage's retry), or the
   * topic was rebuilt and its epoch, which stands in another topic, has not been read yet. Null for the repeat.
   */
  private async decodeInNewEpoch(record: LogRecord): Promise<ChannelEvent | null> {
    this.flush();
    if (!this.epochsRefreshed) {
      this.epochsRefreshed = true;
      for (const [topic, epoch] of await this.decoder.readEpochs()) await this.beginEpoch(topic, epoch, null);
    }
    const event = this.decoder.tryDecode(record, this.payloads);
    if (event && event.seq > this.newestSeqOf(record.key)) return event;
    this.options.logger.debug(
      { channel: record.key, offset: record.offset },
      'skipped an event that the log holds twice',
    );
    return null;
  }

  private buffer(channel: LiveChannel, event: ChannelEvent): number {
    if (event.seq > channel.newestSeq + 1) this.publishGap(channel, event);
    if (isRemoved(event)) {
      // Events buffered before it are sent first.
      if (!channel.removedAfter) this.flush();
      if (channel.addRemoved(event)) this.removed.push(channel);
      return 0;
    }
    if (channel.removedAfter) this.flush();
    if (channel.buffer(event)) this.bufferedChannels.push(channel);
    return event.size;
  }

  private publishGap(channel: LiveChannel, event: ChannelEvent): void {
    this.flush();
    const [subscription] = channel.subscriptions;
    if (!subscription) return;
    if (channel.newestSeq > 0) this.reportGap(subscription, channel.newestSeq + 1, event.seq - 1);
    // The gap for removed payloads covers it.
    if (!isRemoved(event)) sendMissingGaps(channel, event, this.epochOfChannel(subscription));
  }

  private flush(): void {
    for (const channel of this.bufferedChannels) {
      const run = channel.drainRun();
      for (const subscription of channel.subscriptions)
        if (subscription.live && subscription.connection.bufferRun(run, subscription))
          this.dirtyConnections.push(subscription.connection);
    }
    this.bufferedChannels.length = 0;
    for (const connection of this.dirtyConnections) connection.flush();
    this.dirtyConnections.length = 0;
    for (const channel of this.removed) {
      const [subscription] = channel.subscriptions;
      if (subscription) sendRemovedGaps(channel, this.epochOfChannel(subscription));
    }
    this.removed.length = 0;
  }

  /** Runs first in a batch, since frames of a new epoch come after its record. */
  private async followEpochs(records: readonly LogRecord[]): Promise<void> {
    for (const record of records) {
      if (record.topic !== epochTopic.name || !record.value) continue;
      const value = await this.decoder.decodeValue(epochTopic, record);
      if (value) await this.beginEpoch(record.key, value.epoch, record.appendedAt);
    }
  }

  private async beginEpoch(topic: string, epoch: string, appendedAt: number | null): Promise<void> {
    if (!this.positions.has(topic) || this.epochs.of(topic) === epoch) return;
    const ends: number[] = [];
    for (const partition of this.positions.partitionsOf(topic))
      ends.push((await this.decoder.withRetry(() => this.options.log.bounds({ topic, partition }))).next);
    const before = this.epochs.begin(topic, epoch, appendedAt);
    if (before === null) return;
    this.positions.restart(topic, ends);
    for (const channel of this.channels.values()) this.resetChannel(channel, { topic, before, epoch });
  }

  /** Resets the channel after a rebuild of its topic: numbers restart, and every subscription is sent a `gap`. */
  private resetChannel(
    channel: LiveChannel,
    { topic, before, epoch }: { topic: string; before: string; epoch: string },
  ): void {
    for (const subscription of channel.subscriptions) {
      if (this.locationOf(subscription).topic.name !== topic) return;
      const { progress, live, acknowledged } = subscription;
      const known = Math.max(progress.offset, live ? channel.newestOffset : -1);
      progress.restart(-1);
      if (!acknowledged) continue;
      const from = cursorOf(subscription, before, { seq: 0, offset: known });
      sendGap(subscription, from, cursorOf(subscription, epoch, progress));
    }
    channel.reset();
  }
}

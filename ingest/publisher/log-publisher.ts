/** The `Publisher` that writes to the event log. */
import type { AppendRecord } from '#infra/log/log';
import { PAYLOAD_BYTES_MAX } from '#infra/log/record-size';
import type { Venue } from '#schemas/domain/providers';
import { parseSource } from '#schemas/domain/recording';
import { type ClockMark, type ControlChange, changeTopic, clockTopic } from '#schemas/topics/control';
import { feedTopics, type RawEnvelope, rawTopics } from '#schemas/topics/raw';
import { partitionOf, type Topic } from '#schemas/topics/topic';
import { AppendQueue } from './append-queue.ts';
import { EventTime } from './event-time.ts';
import { OversizedRecords } from './oversized-records.ts';
import type { PartitionSequences, WrittenPartition } from './partition-sequences.ts';
import type { FeedChange, Publisher, PublisherOptions, Received } from './publisher.ts';

/** How often an idle publisher advances its watermark and checks if a clock mark is due. */
const IDLE_MS = 20;
/** How often it reports how far the machine's clock is behind. */
const CLOCK_INTERVAL_MS = 1_000;

const CLOCK_KEY = 'clock';

/** The source `<venue>.<stream>` of a raw topic. */
const sourceOf = (topic: string) => topic.slice('raw.'.length);

/** Topic and partition of the records of one feed. */
interface Route {
  readonly topic: Topic<RawEnvelope>;
  readonly partition: WrittenPartition;
  readonly venue: Venue;
  readonly stream: string;
}

export interface LogPublisherOptions extends PublisherOptions {
  /** Sequence numbers of `RECORDED_TOPICS`, which playback repeats. */
  readonly venueSequences: PartitionSequences;
  readonly changeSequences: PartitionSequences;
  readonly newestChange: ControlChange | null;
}

export class LogPublisher implements Publisher {
  readonly storedUntil: number;
  readonly newestChange: ControlChange | null;
  private readonly options: PublisherOptions;
  private readonly time: EventTime;
  private readonly oversized: OversizedRecords;
  private readonly venueSequences: PartitionSequences;
  private readonly changeSequences: PartitionSequences;
  private readonly changePartition: WrittenPartition;
  private readonly partitions: readonly WrittenPartition[];
  private readonly clockPartition: WrittenPartition;
  private readonly queue: AppendQueue;
  private readonly routes = new Map<string, Map<string, Route>>();
  private readonly timers: readonly NodeJS.Timeout[];
  private advancedTo = Number.NEGATIVE_INFINITY;

  constructor(options: LogPublisherOptions) {
    const { venueSequences, changeSequences } = options;
    this.options = options;
    this.venueSequences = venueSequences;
    this.changeSequences = changeSequences;
    this.newestChange = options.newestChange;
    this.partitions = [...venueSequences.all(), ...changeSequences.all()];
    this.clockPartition = venueSequences.of(clockTopic.name, 0);
    this.changePartition = changeSequences.of(changeTopic.name, 0);
    this.queue = new AppendQueue({
      log: options.log,
      closeBatch: (firstLeft) => this.time.closeBatch(firstLeft),
      onTooLarge: (records) => records.map((record) => this.oversizedDeadLetter(record)),
      onAppended: (records, watermark) => this.onAppended(records, watermark),
      onLogStatus: options.onLogStatus,
      onFailure: options.onFailure,
    });
    // A source that never sends anything is shown with zero, so that alerts see its silence.
    for (const topic of rawTopics.keys()) options.metrics.ingested.inc({ source: sourceOf(topic) }, 0);
    const live = options.time === 'live';
    this.storedUntil = venueSequences.newestAt();
    const storedUntil = Math.max(this.storedUntil, changeSequences.newestAt());
    const { promisedUntil = Number.NEGATIVE_INFINITY } = options;
    this.oversized = new OversizedRecords(options);
    this.time = new EventTime({
      live,
      now: options.now ?? Date.now,
      monotonicNow: options.monotonicNow ?? (() => performance.now()),
      storedUntil,
      promisedUntil,
      internalFrom: Math.max(storedUntil + 1, promisedUntil),
      storedMarkAt: this.clockPartition.lastStored?.receivedAt ?? null,
      writeMark: (mark) => this.publishClockMark(mark),
    });
    this.timers = live
      ? [setInterval(() => this.idle(), IDLE_MS), setInterval(() => this.reportClock(), CLOCK_INTERVAL_MS)]
      : [];
    if (live) this.reportClock();
  }

  receive(received: Received): void {
    const { source, feed, payload, request = null, requestedAt = null } = received;
    const route = this.routes.get(source)?.get(feed) ?? this.findRoute(source, feed);
    const receivedAt = this.time.stamp(received.receivedAt);
    this.options.metrics.feedBoard.onFrame(feed, receivedAt);
    const bytes = Buffer.byteLength(payload) + Buffer.byteLength(request ?? '');
    if (bytes > PAYLOAD_BYTES_MAX) {
      const { topic, partition } = route.partition;
      const value = Buffer.from(payload);
      this.queue.push(this.oversized.deadLetter({ topic: topic.name, partition, key: feed, receivedAt, value, bytes }));
      return;
    }
    const seq = this.venueSequences.next(route.partition, feed, receivedAt);
    if (seq === null) return;
    const value = this.options.codec.encode(route.topic, {
      provider: route.venue,
      stream: route.stream,
      key: feed,
      receivedAt,
      request,
      requestedAt,
      payload: typeof payload === 'string' ? Buffer.from(payload) : payload,
    });
    this.push(route.partition, feed, receivedAt, seq, value);
  }

  publishFeedEvent(change: FeedChange): void {
    const { venue, feed, kind, reason, coins = [] } = change;
    const topic = feedTopics[venue];
    // No other record has its time, so that the merge puts it after every earlier frame and before every later one,
    // whatever the names of their topics.
    const receivedAt = this.time.stampExclusive(change.receivedAt);
    const at = this.venueSequences.of(topic.name, partitionOf(feed, topic.partitions));
    const seq = this.venueSequences.next(at, feed, receivedAt);
    // Playback repeats what was recorded, and its newest state counts all the same.
    this.options.metrics.feedBoard.onEvent({ venue, feed, kind }, receivedAt);
    if (seq === null) return;
    const value = this.options.codec.encode(topic, { provider: venue, feed, receivedAt, kind, reason, coins });
    this.push(at, feed, receivedAt, seq, value);
  }

  publishClockMark(mark: ClockMark): void {
    const seq = this.venueSequences.next(this.clockPartition, CLOCK_KEY, mark.receivedAt);
    this.time.onMarkWritten(mark.receivedAt);
    if (seq === null) return;
    const value = this.options.codec.encode(clockTopic, mark);
    this.push(this.clockPartition, CLOCK_KEY, mark.receivedAt, seq, value);
  }

  get canPublishChanges(): boolean {
    return this.time.canStampInternal;
  }

  publishChange(change: Omit<ControlChange, 'receivedAt'>): void {
    const receivedAt = this.time.stampInternal();
    // Never null, since change sequences always continue.
    const seq = this.changeSequences.next(this.changePartition, change.id, receivedAt)!;
    const value = this.options.codec.encode(changeTopic, { ...change, receivedAt });
    this.push(this.changePartition, change.id, receivedAt, seq, value);
  }

  endRecording(at: number): void {
    this.time.end(at);
    this.queue.schedule();
  }

  advanceTo(at: number): void {
    this.time.advanceTo(at);
    this.queue.schedule();
  }

  get paused(): boolean {
    return this.queue.paused;
  }

  now(): number {
    return this.time.now();
  }

  whenReady(signal?: AbortSignal): Promise<void> {
    return this.queue.whenReady(signal);
  }

  onBackpressure(listener: (paused: boolean) => void): () => void {
    return this.queue.onBackpressure(listener);
  }

  async flush(): Promise<void> {
    await this.queue.flush();
    this.advance(this.time.closeBatch(null));
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.queue.close();
  }

  private findRoute(source: string, feed: string): Route {
    const known = parseSource(source);
    if (!known) throw new Error(`no raw topic stores ${source}`);
    const topic = rawTopics.get(`raw.${source}`)!;
    const route = {
      topic,
      ...known,
      partition: this.venueSequences.of(topic.name, partitionOf(feed, topic.partitions)),
    };
    const ofSource = this.routes.get(source) ?? new Map<string, Route>();
    this.routes.set(source, ofSource.set(feed, route));
    return route;
  }

  private push(at: WrittenPartition, key: string, receivedAt: number, seq: number, value: Buffer): void {
    this.queue.push({ topic: at.topic.name, partition: at.partition, key, value, receivedAt, seq });
  }

  /** The dead letter for a record that passed the size check of this class, and that the log refused for its size. */
  private oversizedDeadLetter({ topic, partition, key, receivedAt, value }: AppendRecord): AppendRecord {
    const stored = value ?? Buffer.alloc(0);
    return this.oversized.deadLetter({ topic, partition, key, receivedAt, value: stored, bytes: stored.length });
  }

  private onAppended(records: readonly AppendRecord[], watermark: number): void {
    const counts = new Map<string, number>();
    for (const { topic } of records) counts.set(topic, (counts.get(topic) ?? 0) + 1);
    for (const [topic, count] of counts)
      if (rawTopics.has(topic)) this.options.metrics.ingested.inc({ source: sourceOf(topic) }, count);
    this.advance(watermark);
  }

  private advance(watermark: number): void {
    if (watermark <= this.advancedTo) return;
    this.advancedTo = watermark;
    this.options.log.advance(
      this.partitions.map(({ topic, partition }) => ({ topic: topic.name, partition, watermark })),
    );
  }

  private idle(): void {
    this.time.writeDueMarks();
    if (this.queue.idle) this.advance(this.time.closeBatch(null));
  }

  private reportClock(): void {
    this.options.onClockBehind?.(this.time.aheadMs());
  }
}

/**
 * The one way into the log, for adapters and playback alike: stamps what was received, wraps it unchanged, numbers it,
 * and promises each partition how far it is complete. The clock's marks take the same way, so that they stand in order.
 */
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { AppendRecord, EventLog, LogError } from '#infra/log/log';
import type { Metrics } from '#infra/telemetry/metrics';
import type { Venue } from '#schemas/domain/providers';
import { parseSource } from '#schemas/domain/recording';
import { type ClockMark, clockTopic } from '#schemas/topics/control';
import { type FeedEvent, feedTopics, type RawEnvelope, rawTopic, rawTopics } from '#schemas/topics/raw';
import { partitionOf, type Topic } from '#schemas/topics/topic';
import { liveMarks, nextTick } from '../clock/clock-marks.ts';
import { AppendQueue } from './append-queue.ts';
import { PartitionNumbers, type WrittenPartition } from './numbering.ts';

/** Every topic that ingest writes: what venues said, the life of the connections, and the clock. */
export const INGEST_TOPICS: readonly Topic[] = [
  ...rawTopics.values(),
  ...Object.values(feedTopics),
  clockTopic,
] as Topic[];

/** How often an idle publisher says that nothing has come, and looks whether a clock mark is due. */
const IDLE_MS = 20;
/** A clock that is this far behind the newest record is worth a warning. */
const CLOCK_BEHIND_MS = 5_000;

const CLOCK_KEY = 'clock';

/** One thing that a venue said. */
export interface Received {
  /** `<venue>.<stream>`, as in a recording. */
  readonly source: string;
  /** The connection slot it came over; what shares one stays in order. */
  readonly feed: string;
  readonly payload: Buffer | string;
  /** For an answer: the question. */
  readonly request?: string;
  /** When it was received, unix ms. Only playback says it; live it is now. */
  readonly receivedAt?: number;
}

/** One thing that happened to a connection. */
export interface FeedChange {
  readonly venue: Venue;
  readonly feed: string;
  readonly kind: FeedEvent['kind'];
  readonly reason: string | null;
  readonly receivedAt?: number;
}

export interface Publisher {
  receive(received: Received): void;
  feedEvent(change: FeedChange): void;
  /** A clock mark of a recording; live the publisher makes its own. */
  mark(mark: ClockMark): void;
  /** Recordings only: nothing that comes from now on is older than `at`. */
  promise(at: number): void;
  /** Event time of the newest record that the log held at the start; 0 for an empty log. */
  readonly keptUntil: number;
  /** Whether those who feed are asked to pause; what they had received already is still taken. */
  readonly pressed: boolean;
  /** Resolves when there is room; rejects when the log refused for good, or with the signal's reason. */
  whenReady(signal?: AbortSignal): Promise<void>;
  /** Told true to pause, false to go on. Returns how to stop being told. */
  onPressure(listener: (pressed: boolean) => void): () => void;
  /** Resolves when everything received so far is in the log. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface PublisherOptions {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /**
   * `live`: the time is the machine's, numbers go on. `recorded`: times are given, the same input gives the same
   * numbers, and what the log holds already is passed over.
   */
  readonly time: 'live' | 'recorded';
  /** The log takes nothing now, or (null) takes records again. */
  readonly onTrouble: (error: LogError | null) => void;
  /** The log refused for good. */
  readonly onFailure: (error: Error) => void;
  /** The machine's clock, unix ms. */
  readonly now?: () => number;
}

/** Where the records of one feed go. */
interface Route {
  readonly topic: Topic<RawEnvelope>;
  readonly at: WrittenPartition;
  readonly venue: Venue;
  readonly stream: string;
}

/** Prepares the topics, reads where each partition stands, and opens the way in. */
export async function openPublisher(options: PublisherOptions): Promise<Publisher> {
  await options.log.createTopics(INGEST_TOPICS);
  await options.codec.prepare(INGEST_TOPICS);
  const numbering = options.time === 'live' ? 'continue' : 'repeat';
  return new LogPublisher(options, await PartitionNumbers.open(options.log, INGEST_TOPICS, numbering));
}

class LogPublisher implements Publisher {
  readonly keptUntil: number;
  private readonly options: PublisherOptions;
  private readonly now: () => number;
  private readonly numbers: PartitionNumbers;
  private readonly partitions: readonly WrittenPartition[];
  private readonly clockAt: WrittenPartition;
  private readonly queue: AppendQueue;
  private readonly routes = new Map<string, Map<string, Route>>();
  private readonly idleTimer: NodeJS.Timeout | null;
  /** Nothing is stamped below this any more. */
  private floor: number;
  private lastStamp = 0;
  private lastMarkAt: number;
  private nextMarkAt = Number.POSITIVE_INFINITY;
  private advancedTo = Number.NEGATIVE_INFINITY;

  constructor(options: PublisherOptions, numbers: PartitionNumbers) {
    this.options = options;
    this.now = options.now ?? Date.now;
    this.numbers = numbers;
    this.partitions = numbers.all();
    this.clockAt = numbers.of(clockTopic.name, 0);
    this.queue = new AppendQueue({
      log: options.log,
      cut: (firstLeft) => this.cut(firstLeft),
      onAppended: (records, cut) => this.onAppended(records, cut),
      onTrouble: options.onTrouble,
      onFailure: options.onFailure,
    });
    const live = options.time === 'live';
    // The newest record's millisecond was closed with it, so what comes now is later.
    this.keptUntil = numbers.newestAt();
    this.floor = live ? this.keptUntil + 1 : 0;
    this.lastMarkAt = this.clockAt.kept?.receivedAt ?? Math.max(this.floor, this.now());
    this.idleTimer = live ? setInterval(() => this.idle(), IDLE_MS) : null;
    if (!live) return;
    this.nextMarkAt = nextTick(this.lastMarkAt);
    const behind = this.floor - this.now();
    if (behind > CLOCK_BEHIND_MS)
      options.logger.warn({ behindMs: behind }, "the machine's clock is behind the newest record; its time is kept");
  }

  receive(received: Received): void {
    const { source, feed, payload, request = null } = received;
    const route = this.routes.get(source)?.get(feed) ?? this.findRoute(source, feed);
    const receivedAt = this.stamp(received.receivedAt);
    const seq = this.numbers.next(route.at, feed, receivedAt);
    if (seq === null) return;
    const value = this.options.codec.encode(route.topic, {
      provider: route.venue,
      stream: route.stream,
      key: feed,
      receivedAt,
      request,
      payload: typeof payload === 'string' ? Buffer.from(payload) : payload,
    });
    this.push(route.at, feed, receivedAt, seq, value);
  }

  feedEvent(change: FeedChange): void {
    const { venue, feed, kind, reason } = change;
    const topic = feedTopics[venue];
    // Alone at its time, so that it stands after every frame before it and before every frame after it, whatever the
    // names of their topics.
    const live = change.receivedAt === undefined;
    const receivedAt = this.stamp(change.receivedAt, live ? 1 : 0);
    if (live) this.floor = receivedAt + 1;
    const at = this.numbers.of(topic.name, partitionOf(feed, topic.partitions));
    const seq = this.numbers.next(at, feed, receivedAt);
    if (seq === null) return;
    const value = this.options.codec.encode(topic, { provider: venue, feed, receivedAt, kind, reason });
    this.push(at, feed, receivedAt, seq, value);
  }

  mark(mark: ClockMark): void {
    const seq = this.numbers.next(this.clockAt, CLOCK_KEY, mark.receivedAt);
    this.lastMarkAt = mark.receivedAt;
    if (this.options.time === 'recorded') this.floor = mark.receivedAt;
    if (seq === null) return;
    const value = this.options.codec.encode(clockTopic, mark);
    this.push(this.clockAt, CLOCK_KEY, mark.receivedAt, seq, value);
  }

  promise(at: number): void {
    if (at > this.floor) this.floor = at;
    this.queue.schedule();
  }

  get pressed(): boolean {
    return this.queue.pressed;
  }

  whenReady(signal?: AbortSignal): Promise<void> {
    return this.queue.whenReady(signal);
  }

  onPressure(listener: (pressed: boolean) => void): () => void {
    return this.queue.onPressure(listener);
  }

  async flush(): Promise<void> {
    await this.queue.flush();
    this.advance(this.cut(null));
  }

  async close(): Promise<void> {
    if (this.idleTimer) clearInterval(this.idleTimer);
    await this.queue.close();
  }

  private findRoute(source: string, feed: string): Route {
    const known = parseSource(source);
    if (!known) throw new Error(`no raw topic keeps ${source}`);
    const topic = rawTopic(known.venue, known.stream);
    const route = { topic, ...known, at: this.numbers.of(topic.name, partitionOf(feed, topic.partitions)) };
    const ofSource = this.routes.get(source) ?? new Map<string, Route>();
    this.routes.set(source, ofSource.set(feed, route));
    return route;
  }

  private push(at: WrittenPartition, key: string, receivedAt: number, seq: number, value: Buffer): void {
    this.queue.push({ topic: at.topic.name, partition: at.partition, key, value, receivedAt, seq });
  }

  /** The event time of what just came. Never decreases over everything that is written. */
  private stamp(given: number | undefined, apart = 0): number {
    if (given !== undefined) {
      if (given < this.floor) throw new Error(`received at ${given}, after ${this.floor} was promised`);
      this.floor = given;
      return given;
    }
    const at = Math.max(this.now(), this.lastStamp + apart, this.floor);
    if (at >= this.nextMarkAt) this.markUntil(at);
    this.lastStamp = at;
    return at;
  }

  /** Puts the clock marks that are due before what is stamped `at`. */
  private markUntil(at: number): void {
    for (const mark of liveMarks(this.lastMarkAt, at)) this.mark(mark);
    this.nextMarkAt = nextTick(this.lastMarkAt);
  }

  /**
   * The promise that goes with a batch. When the batch takes everything, the millisecond at hand is closed, so that its
   * records need not wait for the next promise; stamps then run ahead of the clock by one millisecond at most.
   */
  private cut(firstLeft: number | null): number {
    if (firstLeft !== null) return firstLeft;
    if (this.options.time === 'live') {
      const now = this.now();
      const closed = this.lastStamp > now ? this.lastStamp : Math.max(now, this.lastStamp + 1);
      this.floor = Math.max(this.floor, Math.min(closed, this.nextMarkAt));
    }
    return Math.min(this.floor, this.nextMarkAt);
  }

  private onAppended(records: readonly AppendRecord[], cut: number): void {
    const counts = new Map<string, number>();
    for (const { topic } of records) counts.set(topic, (counts.get(topic) ?? 0) + 1);
    for (const [topic, count] of counts)
      if (rawTopics.has(topic)) this.options.metrics.ingested.inc({ source: topic.slice('raw.'.length) }, count);
    this.advance(cut);
  }

  private advance(watermark: number): void {
    if (watermark <= this.advancedTo) return;
    this.advancedTo = watermark;
    this.options.log.advance(
      this.partitions.map(({ topic, partition }) => ({ topic: topic.name, partition, watermark })),
    );
  }

  private idle(): void {
    if (this.now() >= this.nextMarkAt) this.markUntil(this.now());
    if (this.queue.idle) this.advance(this.cut(null));
  }
}

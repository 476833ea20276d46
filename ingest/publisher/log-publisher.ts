/** The publisher over the log: see `publisher.ts`. */
import type { AppendRecord } from '#infra/log/log';
import { PAYLOAD_BYTES_MAX } from '#infra/log/record-size';
import type { Venue } from '#schemas/domain/providers';
import { parseSource } from '#schemas/domain/recording';
import { type ClockMark, type ControlChange, changeTopic, clockTopic } from '#schemas/topics/control';
import { feedTopics, type RawEnvelope, rawTopic, rawTopics } from '#schemas/topics/raw';
import { partitionOf, type Topic } from '#schemas/topics/topic';
import { AppendQueue } from './append-queue.ts';
import { EventTime } from './event-time.ts';
import type { PartitionNumbers, WrittenPartition } from './numbering.ts';
import type { FeedChange, Publisher, PublisherOptions, Received } from './publisher.ts';
import { TooLarge } from './too-large.ts';

/** How often an idle publisher says that nothing has come, and looks whether a clock mark is due. */
const IDLE_MS = 20;
/** How often it tells how far the machine's clock is behind. */
const CLOCK_INTERVAL_MS = 1_000;

const CLOCK_KEY = 'clock';

/** Where the records of one feed go. */
interface Route {
  readonly topic: Topic<RawEnvelope>;
  readonly at: WrittenPartition;
  readonly venue: Venue;
  readonly stream: string;
}

export interface LogPublisherOptions extends PublisherOptions {
  /** Of what a recording gives again. */
  readonly world: PartitionNumbers;
  readonly changes: PartitionNumbers;
  readonly newestChange: ControlChange | null;
}

export class LogPublisher implements Publisher {
  readonly keptUntil: number;
  readonly newestChange: ControlChange | null;
  private readonly options: PublisherOptions;
  private readonly time: EventTime;
  private readonly tooLarge: TooLarge;
  private readonly numbers: PartitionNumbers;
  private readonly changes: PartitionNumbers;
  private readonly changeAt: WrittenPartition;
  private readonly partitions: readonly WrittenPartition[];
  private readonly clockAt: WrittenPartition;
  private readonly queue: AppendQueue;
  private readonly routes = new Map<string, Map<string, Route>>();
  private readonly timers: readonly NodeJS.Timeout[];
  private advancedTo = Number.NEGATIVE_INFINITY;

  constructor(options: LogPublisherOptions) {
    const { world, changes } = options;
    this.options = options;
    this.numbers = world;
    this.changes = changes;
    this.newestChange = options.newestChange;
    this.partitions = [...world.all(), ...changes.all()];
    this.clockAt = world.of(clockTopic.name, 0);
    this.changeAt = changes.of(changeTopic.name, 0);
    this.queue = new AppendQueue({
      log: options.log,
      cut: (firstLeft) => this.time.cut(firstLeft),
      onRefused: (records) => records.map((record) => this.refused(record)),
      onAppended: (records, cut) => this.onAppended(records, cut),
      onTrouble: options.onTrouble,
      onFailure: options.onFailure,
    });
    const live = options.time === 'live';
    this.keptUntil = world.newestAt();
    const keptUntil = Math.max(this.keptUntil, changes.newestAt());
    const { promisedUntil = Number.NEGATIVE_INFINITY } = options;
    this.tooLarge = new TooLarge(options);
    this.time = new EventTime({
      live,
      now: options.now ?? Date.now,
      steady: options.steady ?? (() => performance.now()),
      keptUntil,
      promisedUntil,
      ownFrom: Math.max(keptUntil + 1, promisedUntil),
      keptMarkAt: this.clockAt.kept?.receivedAt ?? null,
      writeMark: (mark) => this.mark(mark),
    });
    this.timers = live
      ? [setInterval(() => this.idle(), IDLE_MS), setInterval(() => this.tellClock(), CLOCK_INTERVAL_MS)]
      : [];
    if (live) this.tellClock();
  }

  receive(received: Received): void {
    const { source, feed, payload, request = null } = received;
    const route = this.routes.get(source)?.get(feed) ?? this.findRoute(source, feed);
    const receivedAt = this.time.stamp(received.receivedAt);
    const bytes = Buffer.byteLength(payload) + Buffer.byteLength(request ?? '');
    if (bytes > PAYLOAD_BYTES_MAX) {
      const { topic, partition } = route.at;
      const value = Buffer.from(payload);
      this.queue.push(this.tooLarge.letter({ topic: topic.name, partition, key: feed, receivedAt, value, bytes }));
      return;
    }
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
    const receivedAt = this.time.stampAlone(change.receivedAt);
    const at = this.numbers.of(topic.name, partitionOf(feed, topic.partitions));
    const seq = this.numbers.next(at, feed, receivedAt);
    if (seq === null) return;
    const value = this.options.codec.encode(topic, { provider: venue, feed, receivedAt, kind, reason });
    this.push(at, feed, receivedAt, seq, value);
  }

  mark(mark: ClockMark): void {
    const seq = this.numbers.next(this.clockAt, CLOCK_KEY, mark.receivedAt);
    this.time.marked(mark.receivedAt);
    if (seq === null) return;
    const value = this.options.codec.encode(clockTopic, mark);
    this.push(this.clockAt, CLOCK_KEY, mark.receivedAt, seq, value);
  }

  get takesChanges(): boolean {
    return this.time.takesOwn;
  }

  change(change: Omit<ControlChange, 'receivedAt'>): void {
    const receivedAt = this.time.stampOwn();
    // Never null: they are numbered on.
    const seq = this.changes.next(this.changeAt, change.id, receivedAt)!;
    const value = this.options.codec.encode(changeTopic, { ...change, receivedAt });
    this.push(this.changeAt, change.id, receivedAt, seq, value);
  }

  end(at: number): void {
    this.time.end(at);
    this.queue.schedule();
  }

  promise(at: number): void {
    this.time.promise(at);
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
    this.advance(this.time.cut(null));
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
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

  /** The letter for a record that is within the size known here, and that the log refuses for its size nevertheless. */
  private refused({ topic, partition, key, receivedAt, value }: AppendRecord): AppendRecord {
    const kept = value ?? Buffer.alloc(0);
    return this.tooLarge.letter({ topic, partition, key, receivedAt, value: kept, bytes: kept.length });
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
    this.time.markUntilNow();
    if (this.queue.idle) this.advance(this.time.cut(null));
  }

  private tellClock(): void {
    this.options.onClockBehind?.(this.time.aheadMs());
  }
}

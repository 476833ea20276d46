/**
 * The one way into the log, for adapters and playback alike: stamps what was received, wraps it unchanged, numbers it,
 * and promises each partition how far it is complete. The clock's marks take the same way, so that they stand in order.
 */
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { EventLog, LogError } from '#infra/log/log';
import type { Metrics } from '#infra/telemetry/metrics';
import type { Venue } from '#schemas/domain/providers';
import { type ClockMark, type ControlChange, changeTopic, clockTopic, deadTopic } from '#schemas/topics/control';
import { type FeedEvent, feedTopics, rawTopics } from '#schemas/topics/raw';
import type { Topic } from '#schemas/topics/topic';
import { LogPublisher } from './log-publisher.ts';
import { PartitionNumbers } from './numbering.ts';

/** What a world gives, and a recording of it again: what venues said, the life of the connections, and the clock. */
const WORLD_TOPICS = [...rawTopics.values(), ...Object.values(feedTopics), clockTopic] as Topic[];

/** Every topic that ingest writes. */
export const INGEST_TOPICS: readonly Topic[] = [...WORLD_TOPICS, changeTopic as Topic];

/** Where what the log does not take for its size is told. */
const DEAD_TOPICS = [...rawTopics.keys(), changeTopic.name].map((name) => deadTopic(name));

/** The lease under which they are written: of all processes that take a world in, one writes. */
export const INGEST_LEASE = 'ingest';

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
  /** A command at its place in the pipeline's time. Throws unless `takesChanges`. */
  change(change: Omit<ControlChange, 'receivedAt'>): void;
  /** False while a recording plays what it has played before: no command may count from then any more. */
  readonly takesChanges: boolean;
  /** The change that the log held last at the start, or null. */
  readonly newestChange: ControlChange | null;
  /** Recordings only: nothing that comes from now on is older than `at`. */
  promise(at: number): void;
  /** Recordings only: its last line was before `at`. From now on time moves with changes only, a millisecond for each. */
  end(at: number): void;
  /** Event time of the newest record of the world that the log held at the start; 0 for an empty log. */
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
  /**
   * What a writer before promised, of the lease: nothing is stamped below it. The lines of a recording are, which are
   * passed over as far as the log holds them.
   */
  readonly promisedUntil?: number;
  /** The log takes nothing now, or (null) takes records again. */
  readonly onTrouble: (error: LogError | null) => void;
  /** The log refused for good. */
  readonly onFailure: (error: Error) => void;
  /** The machine's clock, unix ms. */
  readonly now?: () => number;
}

/** Prepares the topics, reads where each partition stands, and opens the way in; under `INGEST_LEASE`. */
export async function openPublisher(options: PublisherOptions): Promise<Publisher> {
  const topics = [...INGEST_TOPICS, ...DEAD_TOPICS] as Topic[];
  await options.log.createTopics(topics);
  await options.codec.prepare(topics);
  const numbering = options.time === 'live' ? 'continue' : 'repeat';
  const world = await PartitionNumbers.open(options.log, WORLD_TOPICS, numbering);
  // No recording holds them, so they always go on.
  const changes = await PartitionNumbers.open(options.log, [changeTopic as Topic], 'continue');
  const kept = changes.of(changeTopic.name, 0).kept?.value ?? null;
  if (kept) await options.codec.learn(kept);
  const newestChange = kept && options.codec.decode(changeTopic, kept);
  return new LogPublisher({ ...options, world, changes, newestChange });
}

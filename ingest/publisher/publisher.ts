/**
 * The one way into the log, for adapters and playback alike: stamps what was received, wraps it unchanged, numbers it,
 * and promises each partition how far it is complete. The clock's marks take the same way, so that they stand in order.
 */
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { EventLog, LogError } from '#infra/log/log';
import type { Metrics } from '#infra/telemetry/metrics';
import type { Venue } from '#schemas/domain/providers';
import type { ClockMark, ControlChange } from '#schemas/topics/control';
import type { FeedEvent } from '#schemas/topics/raw';

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
   * `live`: the time is the machine's (see `SteadyClock`), numbers go on. `recorded`: times are given, the same input gives the same
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
  /** Live: told about every second how far the machine's clock is behind event time, ms; 0 when it is not. */
  readonly onClockBehind?: (behindMs: number) => void;
  /** The machine's clock, unix ms. */
  readonly now?: () => number;
  /** A clock that nobody sets, in ms from any beginning. */
  readonly steady?: () => number;
}

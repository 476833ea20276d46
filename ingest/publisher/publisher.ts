/**
 * The only writer of the raw topics, used by adapters and playback. It stamps an input with its event time, wraps it
 * unchanged, numbers it and advances the watermark of each partition. Clock marks pass through it too, so that they are
 * in order with the records.
 */
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { EventLog, LogError } from '#infra/log/log';
import type { Metrics } from '#infra/telemetry/metrics';
import type { Venue } from '#schemas/domain/providers';
import type { ClockMark, ControlChange } from '#schemas/topics/control';
import type { FeedEvent } from '#schemas/topics/raw';

/** One input from a venue. */
export interface Received {
  /** `<venue>.<stream>`, as in a recording. */
  readonly source: string;
  /** The connection slot that received it. Inputs of one feed stay in order. */
  readonly feed: string;
  readonly payload: Buffer | string;
  /** The request, if the input is a response. */
  readonly request?: string;
  /** When the request was sent, by the publisher's `now`; unknown if left out. */
  readonly requestedAt?: number;
  /** When it was received, unix ms. Playback sets it; live it is now. */
  readonly receivedAt?: number;
}

/** A change of the state of a connection, or of what is subscribed. */
export interface FeedChange {
  readonly venue: Venue;
  readonly feed: string;
  readonly kind: FeedEvent['kind'];
  readonly reason: string | null;
  /** With `trades_left_out`. */
  readonly coins?: readonly string[];
  readonly receivedAt?: number;
}

export interface Publisher {
  receive(received: Received): void;
  publishFeedEvent(change: FeedChange): void;
  /** Playback only: publishes a clock mark. Live the publisher writes its own. */
  publishClockMark(mark: ClockMark): void;
  /** Publishes a command at the current event time. Throws unless `canPublishChanges`. */
  publishChange(change: Omit<ControlChange, 'receivedAt'>): void;
  /** False while playback repeats records that the log holds: a command must not take effect before them. */
  readonly canPublishChanges: boolean;
  /** The newest change in the log at the start, or null. */
  readonly newestChange: ControlChange | null;
  /** Playback only: declares that no later record is older than `at`. */
  advanceTo(at: number): void;
  /** Playback only: the last line was before `at`. From now on each change advances the time by 1 ms. */
  endRecording(at: number): void;
  /** Event time of the newest record of `RECORDED_TOPICS` in the log at the start; 0 for an empty log. */
  readonly storedUntil: number;
  /** True while feeds are requested to pause. Inputs that they have already received are still accepted. */
  readonly paused: boolean;
  /** The current time, unix ms: not later than the event time of anything that is received from now on. */
  now(): number;
  /** Resolves when there is room. Rejects when the log failed permanently, or with the signal's reason. */
  whenReady(signal?: AbortSignal): Promise<void>;
  /** Calls the listener with true to pause and with false to resume. Returns an unsubscribe. */
  onBackpressure(listener: (paused: boolean) => void): () => void;
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
   * `live`: times come from the machine's clock (`MonotonicClock`), and sequence numbers continue. `recorded`: each input
   * brings its time, the same input gets the same number, and records that the log already holds are skipped.
   */
  readonly time: 'live' | 'recorded';
  /**
   * The watermark of the earlier writer, from the lease. Nothing is stamped below it, except lines of a recording that
   * the log already holds and that are skipped.
   */
  readonly promisedUntil?: number;
  /** Called with the error when the log stops accepting records, and with null when it accepts them again. */
  readonly onLogStatus: (error: LogError | null) => void;
  /** Called when the log failed permanently. */
  readonly onFailure: (error: Error) => void;
  /** Live: called every second with how far the machine's clock is behind event time, ms; 0 if it is not. */
  readonly onClockBehind?: (behindMs: number) => void;
  /** The machine's clock, unix ms. */
  readonly now?: () => number;
  /** A clock that cannot be set, ms from an arbitrary origin. */
  readonly monotonicNow?: () => number;
}

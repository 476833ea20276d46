import type { ClockMark } from '#schemas/topics/control';
import { liveMarks, nextTick } from '../clock/clock-marks.ts';
import { MonotonicClock } from './monotonic-clock.ts';

export interface EventTimeOptions {
  /** True to take times from the machine's clock; false during playback, where every record brings its time. */
  readonly live: boolean;
  /** The machine's clock, unix ms. */
  readonly now: () => number;
  /** A clock that cannot be set, ms from an arbitrary origin. */
  readonly monotonicNow: () => number;
  /** Event time of the newest record that the log holds; 0 for an empty log. */
  readonly storedUntil: number;
  /** The watermark of an earlier writer: live nothing is stamped below it. */
  readonly promisedUntil: number;
  /**
   * Playback: internally generated events are not stamped below it. Before that time the recording repeats what the log
   * holds, and readers of the log have passed that time.
   */
  readonly internalFrom: number;
  /** Event time of the newest clock mark that the log holds, if any. */
  readonly storedMarkAt: number | null;
  /** Live: writes a clock mark that is due before the next stamp, then calls `onMarkWritten`. */
  readonly writeMark: (mark: ClockMark) => void;
}

/**
 * The event time of everything that ingest writes. It never decreases and never falls below a watermark. Live it follows
 * the machine's clock, and runs ahead of it if that clock was set back or the log holds later times.
 */
export class EventTime {
  private readonly options: EventTimeOptions;
  private readonly clock: MonotonicClock;
  /** The lowest time that may be stamped. */
  private floor: number;
  private lastStamp = 0;
  private lastMarkAt: number;
  private nextMarkAt: number;
  /** Time of the newest internally generated event of a playback. */
  private lastInternalAt = Number.NEGATIVE_INFINITY;
  /** True after the end of a recording: only internally generated events advance the time. */
  private hasEnded = false;

  constructor(options: EventTimeOptions) {
    const { live, now, monotonicNow, storedUntil, promisedUntil, storedMarkAt } = options;
    this.options = options;
    // The millisecond of the newest stored record is closed, so new records get a later one.
    this.floor = live ? Math.max(storedUntil + 1, promisedUntil) : 0;
    this.clock = new MonotonicClock({ now, monotonicNow, from: this.floor });
    this.lastMarkAt = storedMarkAt ?? this.clock.now();
    this.nextMarkAt = live ? nextTick(this.lastMarkAt) : Number.POSITIVE_INFINITY;
  }

  /** How far event time is ahead of the machine's clock, ms; 0 when it is not. */
  aheadMs(): number {
    return this.clock.aheadMs();
  }

  /** The current time, unix ms: not later than the event time of anything that is received from now on. */
  now(): number {
    return this.clock.now();
  }

  /** Returns the event time of an input: `recordedAt` in playback, else now. `minGapMs` is its distance from the last stamp. */
  stamp(recordedAt: number | undefined, minGapMs = 0): number {
    if (recordedAt !== undefined) {
      if (recordedAt < this.floor) throw new Error(`received at ${recordedAt}, below the watermark ${this.floor}`);
      this.floor = recordedAt;
      return recordedAt;
    }
    const at = Math.max(this.clock.now(), this.lastStamp + minGapMs, this.floor);
    if (at >= this.nextMarkAt) this.writeMarksUntil(at);
    this.lastStamp = at;
    return at;
  }

  /** Returns a time that no other record has: after every earlier record and before every later one. */
  stampExclusive(recordedAt: number | undefined): number {
    const at = this.stamp(recordedAt, recordedAt === undefined ? 1 : 0);
    if (recordedAt === undefined) this.floor = at + 1;
    return at;
  }

  /** True if internally generated events may be stamped; false while playback repeats what the log holds. */
  get canStampInternal(): boolean {
    return this.options.live || this.floor >= this.options.internalFrom;
  }

  /**
   * Returns the event time of an internally generated event: live it is now, during playback the current time of the
   * recording. Throws unless `canStampInternal`.
   */
  stampInternal(): number {
    if (this.options.live) return this.stamp(undefined);
    if (!this.canStampInternal)
      throw new Error(`the recording is at ${this.floor}, before ${this.options.internalFrom}`);
    this.lastInternalAt = this.floor;
    return this.floor;
  }

  /** Playback only: the last line was before `at`. From now on time advances by 1 ms after each internal event. */
  end(at: number): void {
    this.advanceTo(Math.max(at, this.options.internalFrom));
    this.hasEnded = true;
  }

  /** Declares that no later record is older than `at`. */
  advanceTo(at: number): void {
    if (at > this.floor) this.floor = at;
  }

  /** Called when a clock mark was written. */
  onMarkWritten(at: number): void {
    this.lastMarkAt = at;
    if (!this.options.live) this.floor = at;
  }

  /** Live: writes the clock marks that are due. */
  writeDueMarks(): void {
    const now = this.clock.now();
    if (now >= this.nextMarkAt) this.writeMarksUntil(now);
  }

  /**
   * Returns the watermark that goes with a batch. If the batch leaves no record, the current millisecond is closed, so
   * that readers can process its records without another watermark; stamps then run at most 1 ms ahead of the clock.
   *
   * @param firstLeft event time of the first record that the batch leaves in the queue, or null.
   */
  closeBatch(firstLeft: number | null): number {
    if (firstLeft !== null) return firstLeft;
    if (this.options.live) {
      const now = this.clock.now();
      const closed = this.lastStamp > now ? this.lastStamp : Math.max(now, this.lastStamp + 1);
      this.floor = Math.max(this.floor, Math.min(closed, this.nextMarkAt));
    } else if (this.hasEnded) this.floor = Math.max(this.floor, this.lastInternalAt + 1);
    return Math.min(this.floor, this.nextMarkAt);
  }

  private writeMarksUntil(at: number): void {
    for (const mark of liveMarks(this.lastMarkAt, at)) this.options.writeMark(mark);
    this.nextMarkAt = nextTick(this.lastMarkAt);
  }
}

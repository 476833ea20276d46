import type { ClockMark } from '#schemas/topics/control';
import { liveMarks, nextTick } from '../clock/clock-marks.ts';
import { SteadyClock } from './steady-clock.ts';

export interface EventTimeOptions {
  /** Live the time is the machine's; from a recording every time is given. */
  readonly live: boolean;
  /** The machine's clock, unix ms. */
  readonly now: () => number;
  /** A clock that nobody sets, in ms from any beginning. */
  readonly steady: () => number;
  /** Event time of the newest record that the log holds; 0 for an empty log. */
  readonly keptUntil: number;
  /** What a writer before promised: live nothing is stamped below it. */
  readonly promisedUntil: number;
  /**
   * Recorded: nothing that does not come from the recording is stamped below it. Before that time the recording is played
   * again, and whoever goes by the log was told that it is over.
   */
  readonly ownFrom: number;
  /** Event time of the newest clock mark that the log holds, if any. */
  readonly keptMarkAt: number | null;
  /** Live: writes a clock mark that is due before what is stamped next, and tells `marked` of it. */
  readonly writeMark: (mark: ClockMark) => void;
}

/**
 * The event time of everything that ingest writes: never decreasing, and never below what was promised. Live it moves
 * with the machine's clock, and past it where that clock was set back or what the log holds is ahead of it.
 */
export class EventTime {
  private readonly options: EventTimeOptions;
  private readonly clock: SteadyClock;
  /** Nothing is stamped below this any more. */
  private floor: number;
  private lastStamp = 0;
  private lastMarkAt: number;
  private nextMarkAt: number;
  /** Of what does not come from the recording. */
  private lastOwn = Number.NEGATIVE_INFINITY;
  /** The recording is over: nothing but what is our own moves the time any more. */
  private isStanding = false;

  constructor(options: EventTimeOptions) {
    const { live, now, steady, keptUntil, promisedUntil, keptMarkAt } = options;
    this.options = options;
    // The newest record's millisecond was closed with it, so what comes now is later.
    this.floor = live ? Math.max(keptUntil + 1, promisedUntil) : 0;
    this.clock = new SteadyClock({ now, steady, from: this.floor });
    this.lastMarkAt = keptMarkAt ?? this.clock.now();
    this.nextMarkAt = live ? nextTick(this.lastMarkAt) : Number.POSITIVE_INFINITY;
  }

  /** How far event time is ahead of the machine's clock, ms; 0 when it is not. */
  aheadMs(): number {
    return this.clock.aheadMs();
  }

  /** The event time of what just came. */
  stamp(given: number | undefined, apart = 0): number {
    if (given !== undefined) {
      if (given < this.floor) throw new Error(`received at ${given}, after ${this.floor} was promised`);
      this.floor = given;
      return given;
    }
    const at = Math.max(this.clock.now(), this.lastStamp + apart, this.floor);
    if (at >= this.nextMarkAt) this.markUntil(at);
    this.lastStamp = at;
    return at;
  }

  /** A time that nothing else shares: after everything before it and before everything after it. */
  stampAlone(given: number | undefined): number {
    const at = this.stamp(given, given === undefined ? 1 : 0);
    if (given === undefined) this.floor = at + 1;
    return at;
  }

  /** Whether what does not come from outside can be stamped now: not while a recording is played again. */
  get takesOwn(): boolean {
    return this.options.live || this.floor >= this.options.ownFrom;
  }

  /**
   * The event time of what does not come from outside: live it is now, while a recording plays its time at hand. Throws
   * unless `takesOwn`.
   */
  stampOwn(): number {
    if (this.options.live) return this.stamp(undefined);
    if (!this.takesOwn) throw new Error(`the recording is at ${this.floor}, before ${this.options.ownFrom}`);
    this.lastOwn = this.floor;
    return this.floor;
  }

  /** Recordings only: its last line was before `at`. Time stands, but for a millisecond after each thing of our own. */
  end(at: number): void {
    this.promise(Math.max(at, this.options.ownFrom));
    this.isStanding = true;
  }

  /** Nothing that comes from now on is older than `at`. */
  promise(at: number): void {
    if (at > this.floor) this.floor = at;
  }

  /** A clock mark is written. */
  marked(at: number): void {
    this.lastMarkAt = at;
    if (!this.options.live) this.floor = at;
  }

  /** Writes the clock marks that are due now. */
  markUntilNow(): void {
    const now = this.clock.now();
    if (now >= this.nextMarkAt) this.markUntil(now);
  }

  /**
   * The promise that goes with a batch. When the batch takes everything, the millisecond at hand is closed, so that its
   * records need not wait for the next promise; stamps then run ahead of the clock by one millisecond at most.
   *
   * @param firstLeft event time of the first record that the batch leaves, or null.
   */
  cut(firstLeft: number | null): number {
    if (firstLeft !== null) return firstLeft;
    if (this.options.live) {
      const now = this.clock.now();
      const closed = this.lastStamp > now ? this.lastStamp : Math.max(now, this.lastStamp + 1);
      this.floor = Math.max(this.floor, Math.min(closed, this.nextMarkAt));
    } else if (this.isStanding) this.floor = Math.max(this.floor, this.lastOwn + 1);
    return Math.min(this.floor, this.nextMarkAt);
  }

  private markUntil(at: number): void {
    for (const mark of liveMarks(this.lastMarkAt, at)) this.options.writeMark(mark);
    this.nextMarkAt = nextTick(this.lastMarkAt);
  }
}

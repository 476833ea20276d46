import type { EncodedFrame } from '../connection/event-frame.ts';
import type { EventId } from '../connection/receiver.ts';
import type { Subscription } from '../connection/subscription.ts';

/** The live state of a channel that has subscribers. */
export class LiveChannel {
  readonly subscriptions = new Set<Subscription>();
  /** Number and offset of the newest event in the current epoch; 0 and -1 before the first. */
  newestSeq = 0;
  newestOffset = -1;
  /** The event after which all newer ones lost their payloads; null if the newest one has its payload. */
  removedAfter: EventId | null = null;
  private buffered: EncodedFrame[] = [];

  /** Adds an event to the next run; true if it is the first of it. */
  buffer(frame: EncodedFrame): boolean {
    this.newestSeq = frame.seq;
    this.newestOffset = frame.offset;
    return this.buffered.push(frame) === 1;
  }

  /** Advances to an event that lost its payload; true if it is the first of a run. */
  addRemoved({ seq, offset }: EventId): boolean {
    const isFirst = this.removedAfter === null;
    this.removedAfter ??= { seq: this.newestSeq, offset: this.newestOffset };
    this.newestSeq = seq;
    this.newestOffset = offset;
    return isFirst;
  }

  /** Ends the run of events without payloads and returns the event before it. */
  endRemoved(): EventId {
    const after = this.removedAfter!;
    this.removedAfter = null;
    return after;
  }

  /** The events since the last call, oldest first. */
  drainRun(): readonly EncodedFrame[] {
    const run = this.buffered;
    this.buffered = [];
    return run;
  }

  /** Restarts the numbers. */
  reset(): void {
    this.newestSeq = 0;
    this.newestOffset = -1;
  }
}

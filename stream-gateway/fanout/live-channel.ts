import type { EncodedFrame } from '../connection/event-frame.ts';
import type { EventPlace, Subscription } from '../connection/subscription.ts';

/** What is known of a channel while somebody is subscribed to it. */
export class LiveChannel {
  readonly subscriptions = new Set<Subscription>();
  /** Number and offset of the newest event in the epoch at hand; 0 and -1 before the first. */
  newestSeq = 0;
  newestOffset = -1;
  /** The event after which all newer ones have lost their payloads; null where the newest one has its own. */
  removedAfter: EventPlace | null = null;
  private gathered: EncodedFrame[] = [];

  /** Adds an event to the next run; true when it is the first of it. */
  gather(frame: EncodedFrame): boolean {
    this.newestSeq = frame.seq;
    this.newestOffset = frame.offset;
    return this.gathered.push(frame) === 1;
  }

  /** Goes on to an event that has lost its payload; true when it is the first of a run. */
  remove({ seq, offset }: EventPlace): boolean {
    const isFirst = this.removedAfter === null;
    this.removedAfter ??= { seq: this.newestSeq, offset: this.newestOffset };
    this.newestSeq = seq;
    this.newestOffset = offset;
    return isFirst;
  }

  /** Ends the run of events without payloads. */
  takeRemovedAfter(): EventPlace {
    const after = this.removedAfter!;
    this.removedAfter = null;
    return after;
  }

  /** The events since the last call, oldest first. */
  takeRun(): readonly EncodedFrame[] {
    const run = this.gathered;
    this.gathered = [];
    return run;
  }

  /** Numbers start over. */
  startOver(): void {
    this.newestSeq = 0;
    this.newestOffset = -1;
  }
}

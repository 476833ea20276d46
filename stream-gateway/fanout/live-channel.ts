import type { EncodedFrame } from '../connection/event-frame.ts';
import type { Subscription } from '../connection/subscription.ts';

/** What is known of a channel while somebody is subscribed to it. */
export class LiveChannel {
  readonly subscriptions = new Set<Subscription>();
  /** Number and offset of the newest event in the epoch at hand; 0 and -1 before the first. */
  newestSeq = 0;
  newestOffset = -1;
  private gathered: EncodedFrame[] = [];

  /** Adds an event to the next run; true when it is the first of it. */
  gather(frame: EncodedFrame): boolean {
    this.newestSeq = frame.seq;
    this.newestOffset = frame.offset;
    return this.gathered.push(frame) === 1;
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

/**
 * Sends gaps to live subscriptions: for events that the log does not hold, and for events whose payloads it no longer
 * holds.
 */
import { cursorOf, sendGap } from '../channels/gap.ts';
import type { EventId } from '../connection/receiver.ts';
import type { LiveChannel } from './live-channel.ts';

/**
 * Sends a gap for what is missing between the newest event of a channel and the next one. While no event of the channel
 * is known, only subscriptions that know one by their own cursors get it.
 */
export function sendMissingGaps({ subscriptions, newestSeq, newestOffset }: LiveChannel, next: EventId, epoch: string) {
  const last = { seq: next.seq - 1, offset: next.offset - 1 };
  for (const subscription of subscriptions) {
    const { live, progress: own } = subscription;
    if (!live || next.offset <= own.offset || last.seq <= own.seq || (newestSeq === 0 && own.seq === 0)) continue;
    const after = newestSeq === 0 ? own : { seq: newestSeq, offset: newestOffset };
    sendGap(subscription, cursorOf(subscription, epoch, after), cursorOf(subscription, epoch, last));
  }
}

/** Sends a gap for the newest events of a channel, all since `removedAfter`, which lost their payloads. */
export function sendRemovedGaps(channel: LiveChannel, epoch: string): void {
  const { subscriptions, newestSeq, newestOffset } = channel;
  const last = { seq: newestSeq, offset: newestOffset };
  const before = channel.endRemoved();
  for (const subscription of subscriptions) {
    const { live, progress: own } = subscription;
    if (!live || own.includes(last)) continue;
    const after = own.offset > before.offset ? own : before;
    sendGap(subscription, cursorOf(subscription, epoch, after), cursorOf(subscription, epoch, last));
  }
}

/**
 * Sends gaps to live subscriptions: for events that the log does not hold, and for events whose payloads it no longer
 * holds.
 */
import { formatCursor } from '#schemas/stream/cursor';
import { gapOf } from '../channels/gap.ts';
import type { EventPosition, Subscription } from '../connection/subscription.ts';
import type { LiveChannel } from './live-channel.ts';

/**
 * Sends a gap for what is missing between the newest event of a channel and the next one. While no event of the channel
 * is known, only subscriptions that know one by their own cursors get it.
 */
export function sendMissingGaps(
  { subscriptions, newestSeq, newestOffset }: LiveChannel,
  next: EventPosition,
  epoch: string,
) {
  const last = { seq: next.seq - 1, offset: next.offset - 1 };
  for (const subscription of subscriptions) {
    const { live, afterOffset, afterSeq } = subscription;
    if (!live || next.offset <= afterOffset || last.seq <= afterSeq || (newestSeq === 0 && afterSeq === 0)) continue;
    const own = { seq: afterSeq, offset: afterOffset };
    sendGap(subscription, newestSeq === 0 ? own : { seq: newestSeq, offset: newestOffset }, last, epoch);
  }
}

/** Sends a gap for the newest events of a channel, all since `removedAfter`, which lost their payloads. */
export function sendRemovedGaps(channel: LiveChannel, epoch: string): void {
  const { subscriptions, newestSeq: seq, newestOffset: offset } = channel;
  const after = channel.endRemoved();
  for (const subscription of subscriptions) {
    const { live, afterOffset, afterSeq } = subscription;
    if (!live || offset <= afterOffset || seq <= afterSeq) continue;
    const own = { seq: afterSeq, offset: afterOffset };
    sendGap(subscription, afterOffset > after.offset ? own : after, { seq, offset }, epoch);
  }
}

function sendGap(subscription: Subscription, after: EventPosition, last: EventPosition, epoch: string): void {
  const { channelName: channel, connection } = subscription;
  const cursorAt = ({ seq, offset }: EventPosition) => formatCursor({ epoch, channel, seq: seq || null, offset });
  connection.sendControl(gapOf(subscription, cursorAt(after), cursorAt(last)));
}

/** Gaps of live subscriptions: events that the log does not hold, or whose payloads it holds no longer. */
import { formatCursor } from '#schemas/stream/cursor';
import { gapOf } from '../channels/gap.ts';
import type { EventPlace, Subscription } from '../connection/subscription.ts';
import type { LiveChannel } from './live-channel.ts';

/**
 * Sends what is missing between the newest event of a channel and the next one. While no event of the channel is known,
 * only those get it who have one by their own cursors.
 */
export function sendMissing({ subscriptions, newestSeq, newestOffset }: LiveChannel, next: EventPlace, epoch: string) {
  const last = { seq: next.seq - 1, offset: next.offset - 1 };
  for (const subscription of subscriptions) {
    const { live, afterOffset, afterSeq } = subscription;
    if (!live || next.offset <= afterOffset || last.seq <= afterSeq || (newestSeq === 0 && afterSeq === 0)) continue;
    const own = { seq: afterSeq, offset: afterOffset };
    sendGap(subscription, newestSeq === 0 ? own : { seq: newestSeq, offset: newestOffset }, last, epoch);
  }
}

/** Sends that the newest events of a channel, all since `removedAfter`, have lost their payloads. */
export function sendRemoved(channel: LiveChannel, epoch: string): void {
  const { subscriptions, newestSeq: seq, newestOffset: offset } = channel;
  const after = channel.takeRemovedAfter();
  for (const subscription of subscriptions) {
    const { live, afterOffset, afterSeq } = subscription;
    if (!live || offset <= afterOffset || seq <= afterSeq) continue;
    const own = { seq: afterSeq, offset: afterOffset };
    sendGap(subscription, afterOffset > after.offset ? own : after, { seq, offset }, epoch);
  }
}

function sendGap(subscription: Subscription, after: EventPlace, last: EventPlace, epoch: string): void {
  const { channelName: channel, connection } = subscription;
  const cursorAt = ({ seq, offset }: EventPlace) => formatCursor({ epoch, channel, seq: seq || null, offset });
  connection.tell(gapOf(subscription, cursorAt(after), cursorAt(last)));
}

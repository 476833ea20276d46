import { kindOf } from '#schemas/stream/channel-kinds';
import { formatCursor } from '#schemas/stream/cursor';
import type { EventId } from '../connection/receiver.ts';
import type { Subscription } from '../connection/subscription.ts';

/**
 * Reports to a client that the events between two cursors cannot be replayed, with the REST path that serves them if
 * there is one.
 */
export function sendGap({ id, channel, connection }: Subscription, from: string, to: string): void {
  const refill = kindOf(channel).refillPath?.(channel) ?? null;
  connection.sendControl({ type: 'gap', subscription_id: id, from, to, refill });
}

/** The cursor of an event of the subscription's channel. */
export function cursorOf({ channelName: channel }: Subscription, epoch: string, { seq, offset }: EventId): string {
  return formatCursor({ epoch, channel, seq: seq === 0 ? null : seq, offset });
}

import { kindOf } from '#schemas/stream/channel-kinds';
import type { ServerFrame } from '#schemas/stream/frames';
import type { Subscription } from '../connection/subscription.ts';

/**
 * The frame that reports that events between two cursors cannot be replayed, with the REST path that serves them if
 * there is one.
 */
export function gapOf({ id, channel }: Subscription, from: string, to: string): ServerFrame {
  return { type: 'gap', subscription_id: id, from, to, refill: kindOf(channel).refillPath?.(channel) ?? null };
}

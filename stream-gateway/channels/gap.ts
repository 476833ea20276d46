import { kindOf } from '#schemas/stream/channel-kinds';
import type { ServerFrame } from '#schemas/stream/frames';
import type { Subscription } from '../connection/subscription.ts';

/** Tells that what lies between two cursors cannot be replayed, and the REST path that fills the hole where one can. */
export function gapOf({ id, channel }: Subscription, from: string, to: string): ServerFrame {
  return { type: 'gap', subscription_id: id, from, to, refill: kindOf(channel).refillPath?.(channel) ?? null };
}

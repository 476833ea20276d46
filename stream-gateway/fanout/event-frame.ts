/**
 * Event frames, encoded once for all receivers: `subscription_id` has a fixed length and a fixed place, so a receiver's
 * own is written over the last one's and the same bytes are sent.
 */

import { formatCursor } from '#schemas/stream/cursor';
import type { ChannelFrame } from '#schemas/topics/channels';

const HEAD = '{"type":"event","subscription_id":"';
/** `sub_` and 16 characters. */
export const SUBSCRIPTION_ID_LENGTH = 20;
const PLACEHOLDER = 'x'.repeat(SUBSCRIPTION_ID_LENGTH);

/** A frame on its way to sockets. */
export interface EncodedFrame {
  readonly bytes: Buffer;
  readonly channel: string;
  readonly seq: number;
  readonly offset: number;
}

/** @param epoch of the channel's topic. @param offset of the record, for the cursor. */
export function encodeEventFrame(frame: ChannelFrame, epoch: string, offset: number): EncodedFrame {
  const { channel, seq, type, provider, marketId, receivedAt, payload } = frame;
  const cursor = formatCursor({ epoch, seq, offset });
  const text =
    `${HEAD}${PLACEHOLDER}","channel":${JSON.stringify(channel)},"epoch":"${epoch}","seq":${seq},"cursor":"${cursor}",` +
    `"data":{"type":${JSON.stringify(type)},"provider":${JSON.stringify(provider)},"marketId":${JSON.stringify(marketId)},` +
    `"payload":${payload},"receivedAt":${receivedAt}}}`;
  return { bytes: Buffer.from(text), channel, seq, offset };
}

/** Writes a receiver's id into the shared bytes; they must be sent before the next receiver's is written. */
export function addressTo(frame: EncodedFrame, subscriptionId: Buffer): Buffer {
  subscriptionId.copy(frame.bytes, HEAD.length);
  return frame.bytes;
}

/**
 * Event frames, encoded once for all receivers. `subscription_id` has a fixed length and position, so each receiver's
 * id is written over the previous one and the same bytes are sent.
 */

import { formatCursor } from '#schemas/stream/cursor';
import type { ChannelFrame } from '#schemas/topics/channels';

const HEAD = '{"type":"event","subscription_id":"';
/** Prefix of every subscription id. */
const ID_PREFIX = 'sub_';
const OWN_LENGTH = 16;
const PLACEHOLDER = 'x'.repeat(OWN_LENGTH);
/**
 * An id is written as complete 32-bit words, which costs a tenth of copying it: from the `u` of `sub_`, the first byte
 * of a word, to the quote that closes the id, the last byte of one.
 */
const FIRST_WORD = (HEAD.length + 1) / 4;
const WORDS = OWN_LENGTH / 4 + 1;

/** An event frame ready to be sent. */
export interface EncodedFrame {
  /** Exactly the bytes of the frame. */
  readonly data: ArrayBuffer;
  /** The same memory up to the end of the id. */
  readonly words: Int32Array;
  /** Bytes of the frame. */
  readonly size: number;
  readonly channel: string;
  readonly seq: number;
  readonly offset: number;
}

/**
 * @param epoch of the channel's topic.
 * @param offset of the record, for the cursor.
 */
export function encodeEventFrame(frame: ChannelFrame, epoch: string, offset: number): EncodedFrame {
  const { channel, seq, type, provider, marketId, receivedAt, payload } = frame;
  const cursor = formatCursor({ epoch, channel, seq, offset });
  const text =
    `${HEAD}${ID_PREFIX}${PLACEHOLDER}","channel":${JSON.stringify(channel)},"epoch":"${epoch}","seq":${seq},` +
    `"cursor":"${cursor}","data":{"type":${JSON.stringify(type)},"provider":${JSON.stringify(provider)},` +
    `"marketId":${JSON.stringify(marketId)},"payload":${payload},"receivedAt":${receivedAt}}}`;
  // A separate ArrayBuffer and not a part of a shared pool: the socket library sends it the fastest.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  const data = bytes.buffer as ArrayBuffer;
  return { data, words: new Int32Array(data, 0, FIRST_WORD + WORDS), size: data.byteLength, channel, seq, offset };
}

/**
 * The words of a subscription id, for `writeSubscriptionId`. Throws for an id that is not `sub_` and 16 ASCII
 * characters.
 */
export function idWords(subscriptionId: string): Int32Array {
  if (subscriptionId.length !== ID_PREFIX.length + OWN_LENGTH || !subscriptionId.startsWith(ID_PREFIX))
    throw new RangeError(`${subscriptionId} is not a subscription id`);
  const bytes = new Uint8Array(WORDS * 4);
  bytes.set(Buffer.from(`${subscriptionId.slice(1)}"`, 'latin1'));
  return new Int32Array(bytes.buffer);
}

/** Writes a receiver's id into the shared bytes; the frame must be sent before the next id is written. */
export function writeSubscriptionId({ words }: EncodedFrame, id: Int32Array): void {
  // Unrolled: a loop over five words costs as much as the writes.
  words[FIRST_WORD] = id[0]!;
  words[FIRST_WORD + 1] = id[1]!;
  words[FIRST_WORD + 2] = id[2]!;
  words[FIRST_WORD + 3] = id[3]!;
  words[FIRST_WORD + 4] = id[4]!;
}

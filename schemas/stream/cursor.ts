/** Position of a subscription in one channel: opaque to clients, valid on every gateway node, and for no other channel. */
export interface Cursor {
  /** The epoch of the channel's topic; another one means that the numbers started over. */
  readonly epoch: string;
  /** The channel's name. */
  readonly channel: string;
  /** Newest `seq` that the client has received, or null where it has received none of this channel. */
  readonly seq: number | null;
  /** The client has received everything at or below this offset of the channel's partition. */
  readonly offset: number;
}

/** A cursor that a client sent. It contains a hash of the channel, which can only be compared with that of another one. */
export interface ParsedCursor extends Omit<Cursor, 'channel'> {
  readonly channelHash: string;
}

export function formatCursor({ epoch, channel, seq, offset }: Cursor): string {
  return `${epoch}.${hashOf(channel)}.${seq === null ? '' : seq.toString(36)}.${(offset + 1).toString(36)}`;
}

/** Parses a cursor; null for any other text. */
export function parseCursor(text: string): ParsedCursor | null {
  const parts = /^([0-9a-z-]{1,64})\.([0-9a-z]{1,7})\.([0-9a-z]{0,10})\.([0-9a-z]{1,10})$/.exec(text);
  if (!parts) return null;
  const [, epoch = '', channelHash = '', seq = '', offset = ''] = parts;
  return {
    epoch,
    channelHash,
    seq: seq === '' ? null : Number.parseInt(seq, 36),
    offset: Number.parseInt(offset, 36) - 1,
  };
}

/**
 * True if the cursor may have been issued on this channel. Each event has an offset of its own, so the `seq` of the newest
 * one cannot be ahead of its offset.
 */
export function matchesChannel({ channelHash, seq, offset }: ParsedCursor, channel: string): boolean {
  return channelHash === hashOf(channel) && (seq ?? 0) <= offset + 1;
}

/**
 * FNV-1a over the UTF-16 units. It guards against mistakes, not against forgery: the content of a cursor is client input
 * and must only affect that client's subscription.
 */
function hashOf(channel: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < channel.length; at += 1) hash = Math.imul(hash ^ channel.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

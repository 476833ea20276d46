/** Where a subscription of one channel stands: opaque to clients, good on every gateway node, and on no other channel. */
export interface Cursor {
  /** The epoch of the channel's topic; another one means that numbers started over. */
  readonly epoch: string;
  /** The channel's name. */
  readonly channel: string;
  /** Newest `seq` that the client has, or null where it has none of this channel yet. */
  readonly seq: number | null;
  /** Everything at or below this offset of the channel's partition is known to the client. */
  readonly offset: number;
}

/** A cursor as a client gave it back: of the channel itself it carries a hash, which says no more than whether it is this one. */
export interface GivenCursor extends Omit<Cursor, 'channel'> {
  readonly channelHash: string;
}

export function formatCursor({ epoch, channel, seq, offset }: Cursor): string {
  return `${epoch}.${hashOf(channel)}.${seq === null ? '' : seq.toString(36)}.${(offset + 1).toString(36)}`;
}

/** Null for text that is no cursor. */
export function parseCursor(text: string): GivenCursor | null {
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
 * Whether a cursor may have been given out on this channel. Each event has an offset of its own, so that the number of the
 * newest cannot be ahead of its offset.
 */
export function isOfChannel({ channelHash, seq, offset }: GivenCursor, channel: string): boolean {
  return channelHash === hashOf(channel) && (seq ?? 0) <= offset + 1;
}

/**
 * FNV-1a over the UTF-16 units: guards against mistakes, not against forgery. What a cursor says is the client's word, so
 * whoever reads one believes it for that client's subscription alone.
 */
function hashOf(channel: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < channel.length; at += 1) hash = Math.imul(hash ^ channel.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

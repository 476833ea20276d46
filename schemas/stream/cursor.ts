/** Where a subscription stands: opaque to clients, good on every gateway node. */
export interface Cursor {
  /** The epoch of the channel's topic; another one means that numbers started over. */
  readonly epoch: string;
  /** Newest `seq` that the client has, or null where it has none of this channel yet. */
  readonly seq: number | null;
  /** Everything at or below this offset of the channel's partition is known to the client. */
  readonly offset: number;
}

export function formatCursor({ epoch, seq, offset }: Cursor): string {
  return `${epoch}.${seq === null ? '' : seq.toString(36)}.${(offset + 1).toString(36)}`;
}

/** Null for text that is no cursor. */
export function parseCursor(text: string): Cursor | null {
  const parts = /^([0-9a-z-]{1,64})\.([0-9a-z]{0,11})\.([0-9a-z]{1,11})$/.exec(text);
  if (!parts) return null;
  const [, epoch = '', seq = '', offset = ''] = parts;
  return { epoch, seq: seq === '' ? null : Number.parseInt(seq, 36), offset: Number.parseInt(offset, 36) - 1 };
}

/** Events of a subscription that were dropped since its last delivered one. */
export interface DroppedRange {
  readonly fromSeq: number;
  toSeq: number;
  dropped: number;
}

/** Names an event of a channel in the current epoch. */
export interface EventId {
  /** Its number, or 0 if unknown. */
  readonly seq: number;
  readonly offset: number;
}

/** How far a subscription was sent its channel. */
export class Progress implements EventId {
  private lastOffset = -1;
  private lastSeq = 0;
  private isFromClient = false;
  private removedAfter: EventId | null = null;

  /** Events at or below this offset were already sent. */
  get offset(): number {
    return this.lastOffset;
  }

  /** Events at or below this number of the epoch were already sent; 0 while none is known. */
  get seq(): number {
    return this.lastSeq;
  }

  /**
   * True if `seq` comes from the client's cursor: valid for this subscription only, not for state that others share.
   */
  get isSeqFromClient(): boolean {
    return this.isFromClient;
  }

  /** True if the last events lost their payloads, and no gap was sent for them yet. */
  get endsWithRemoved(): boolean {
    return this.removedAfter !== null;
  }

  /**
   * True if the subscription was already sent the event: live delivery and replay overlap, and the log may hold an
   * event twice.
   */
  includes({ offset, seq }: EventId): boolean {
    return offset <= this.lastOffset || seq <= this.lastSeq;
  }

  /** Starts again after an offset, where no number is known. */
  restart(offset: number): void {
    this.advance({ seq: 0, offset });
    this.removedAfter = null;
  }

  /** Starts after the cursor of a client. */
  startAfterCursor({ seq, offset }: { readonly seq: number | null; readonly offset: number }): void {
    this.advance({ seq: seq ?? 0, offset });
    this.isFromClient = seq !== null;
  }

  /** Advances to an event that was sent. */
  advance({ seq, offset }: EventId): void {
    this.lastSeq = seq;
    this.lastOffset = offset;
    this.isFromClient = false;
  }

  /** Advances over records of other channels. */
  skipTo(offset: number): void {
    this.lastOffset = offset;
  }

  /** Advances to an event that lost its payload: all such events in a row are one gap. */
  skipRemoved(event: EventId): void {
    this.removedAfter ??= { seq: this.lastSeq, offset: this.lastOffset };
    this.advance(event);
  }

  /** The event after which a gap begins that is being sent: the one before the events without payloads, or the last. */
  beginGap(): EventId {
    const after = this.removedAfter ?? { seq: this.lastSeq, offset: this.lastOffset };
    this.removedAfter = null;
    return after;
  }
}

/** What a connection and its send queue know of a subscription. */
export interface Receiver {
  readonly id: string;
  /** The id as it is written into shared frames. */
  readonly idWords: Int32Array;
  readonly progress: Progress;
  dropped: DroppedRange | null;
  closed: boolean;
}

import { randomBytes } from 'node:crypto';
import type { PriceState } from '#schemas/domain/price-state';
import type { Channel } from '#schemas/stream/channel';
import type { Connection } from './connection.ts';
import { idWords } from './event-frame.ts';

/** Events of a subscription that were dropped since its last delivered one. */
export interface Lag {
  readonly fromSeq: number;
  toSeq: number;
  dropped: number;
}

/** The position of an event in its channel. */
export interface EventPosition {
  /** Its number, or 0 if unknown. */
  readonly seq: number;
  readonly offset: number;
}

/** One channel on one connection. */
export interface Subscription {
  readonly id: string;
  /** The id as it is written into shared frames. */
  readonly idWords: Int32Array;
  readonly channel: Channel;
  readonly channelName: string;
  readonly connection: Connection;
  /** True once the client was sent its id: no other frame may be sent before. */
  acknowledged: boolean;
  /** False before the acknowledgement and during a replay, which also brings newer frames. */
  live: boolean;
  /** Frames at or below this offset were already sent. */
  afterOffset: number;
  /** Frames at or below this number of the epoch were already sent; 0 while none is known. */
  afterSeq: number;
  /**
   * True if `afterSeq` comes from the client's cursor: valid for this subscription only, not for state that others
   * share.
   */
  isAfterSeqFromClient: boolean;
  /**
   * The event after which all events read, up to `afterSeq`, lost their payloads: they are one gap, which is sent with
   * the next event that has a payload. Null if there are none.
   */
  removedAfter: EventPosition | null;
  lag: Lag | null;
  /** The last `status` sent; null before the first. */
  sentStatus: { readonly state: PriceState; readonly since: number } | null;
  closed: boolean;
}

export function createSubscription(connection: Connection, channel: Channel, channelName: string): Subscription {
  const id = `sub_${randomBytes(8).toString('hex')}`;
  return {
    id,
    idWords: idWords(id),
    channel,
    channelName,
    connection,
    acknowledged: false,
    live: false,
    afterOffset: -1,
    afterSeq: 0,
    isAfterSeqFromClient: false,
    removedAfter: null,
    lag: null,
    sentStatus: null,
    closed: false,
  };
}

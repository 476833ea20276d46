import { randomBytes } from 'node:crypto';
import type { Channel } from '#schemas/stream/channel-names';
import type { StreamState } from '#schemas/stream/frames';
import type { Connection } from './connection.ts';
import { idWords } from './event-frame.ts';

/** Events of a subscription that were dropped since its last delivered one. */
export interface Lag {
  readonly fromSeq: number;
  toSeq: number;
  dropped: number;
}

/** Where an event stands in its channel. */
export interface EventPlace {
  /** Its number, or 0 where that is unknown. */
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
  /** The client knows its id: nothing may be sent on it before. */
  acknowledged: boolean;
  /** False before the acknowledgement, and while history is read for it from the log, which brings live frames too. */
  live: boolean;
  /** Frames at or below this offset were delivered already. */
  afterOffset: number;
  /** Frames at or below this number of the epoch were delivered already; 0 while none is known. */
  afterSeq: number;
  /** `afterSeq` is the client's word, from its cursor: good for this subscription, and for nothing that others share. */
  afterSeqIsGiven: boolean;
  /**
   * The event after which all that were read, up to `afterSeq`, have lost their payloads: they are one gap, which is sent
   * with the next event that has its own. Null where there are none.
   */
  removedAfter: EventPlace | null;
  lag: Lag | null;
  /** The newest `status` it was told; null before the first. */
  toldStatus: { readonly state: StreamState; readonly since: number } | null;
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
    afterSeqIsGiven: false,
    removedAfter: null,
    lag: null,
    toldStatus: null,
    closed: false,
  };
}

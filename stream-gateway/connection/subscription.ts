import { randomBytes } from 'node:crypto';
import type { PriceState } from '#schemas/domain/price-state';
import type { Channel } from '#schemas/stream/channel';
import type { Connection } from './connection.ts';
import { idWords } from './event-frame.ts';
import { Progress, type Receiver } from './receiver.ts';

/** One channel on one connection. */
export interface Subscription extends Receiver {
  readonly channel: Channel;
  readonly channelName: string;
  readonly connection: Connection;
  /** True once the client was sent its id: no other frame may be sent before. */
  acknowledged: boolean;
  /** False before the acknowledgement and during a replay, which also brings newer frames. */
  live: boolean;
  /** The last `status` sent; null before the first. */
  sentStatus: { readonly state: PriceState; readonly since: number } | null;
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
    progress: new Progress(),
    dropped: null,
    sentStatus: null,
    closed: false,
  };
}

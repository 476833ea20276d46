/**
 * The raw feeds of a venue as WebSocket channels: what the venue said, told again whole and unchanged. A channel's
 * events are numbered here, once, by its only writer, so that every gateway node tells the same numbers.
 */
import type { Emit } from '#infra/stages/stage';
import type { ChannelFrame } from '#schemas/topics/channels';
import type { Topic } from '#schemas/topics/topic';
import type { ChannelSeqs } from './channel-seqs.ts';
import { tellFrame } from './tell-frame.ts';

/** One raw event of one channel. */
export interface RawEvent {
  readonly channel: string;
  /** Fine-grained provider. */
  readonly provider: string;
  /** Null where the event speaks of many markets. */
  readonly marketId: string | null;
  /** Unix ms. */
  readonly receivedAt: number;
  /** The venue's own JSON text. */
  readonly payload: string;
}

/** Gives the event the next number of its channel and writes it. */
export function tellRaw(seqs: ChannelSeqs, topic: Topic<ChannelFrame>, emit: Emit, event: RawEvent): void {
  const { channel, ...body } = event;
  tellFrame(seqs, topic, channel, { type: 'raw', ...body }, emit);
}

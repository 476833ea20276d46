/**
 * Emits the raw feeds of a venue as WebSocket channels, complete and unchanged. A frame does not copy the bytes; it
 * refers to their position in the raw topic. The only writer of a channel numbers its events here, so every gateway
 * node sends the same numbers.
 */
import type { Emit, StageRecord } from '#infra/stages/stage';
import type { RawChannelFrame } from '#schemas/topics/channels';
import type { Topic } from '#schemas/topics/topic';
import { type ChannelSeqs, nextSeq } from './channel-seqs.ts';

/** Position and event time of the current raw record. */
export type RawSource = Pick<StageRecord<unknown>, 'topic' | 'partition' | 'offset' | 'receivedAt'>;

/** A part of the text of a raw record, in UTF-16 units. */
export interface TextPiece {
  readonly start: number;
  readonly length: number;
}

/** One raw event of one channel. */
export interface RawEvent {
  readonly channel: string;
  /** Fine-grained provider. */
  readonly provider: string;
  /** Null if the event is about several markets. */
  readonly marketId: string | null;
  /** The venue's own JSON text. */
  readonly piece: TextPiece;
}

/** Emits the event with the next number of its channel. */
export function emitRaw(
  seqs: ChannelSeqs,
  to: Topic<RawChannelFrame>,
  emit: Emit,
  { topic, partition, offset, receivedAt }: RawSource,
  { channel, provider, marketId, piece: { start, length } }: RawEvent,
): void {
  const seq = nextSeq(seqs, to, channel);
  emit(to, channel, { channel, seq, provider, marketId, receivedAt, topic, partition, offset, start, length });
}

/**
 * The raw feeds of a venue as WebSocket channels: what the venue sent, whole and unchanged. A frame does not repeat the
 * bytes: it says where they stand in the raw topic. A channel's events are numbered here, once, by its only writer, so
 * that every gateway node has the same numbers.
 */
import type { Emit, StageEvent } from '#infra/stages/stage';
import type { RawChannelFrame } from '#schemas/topics/channels';
import type { Topic } from '#schemas/topics/topic';
import { type ChannelSeqs, nextSeq } from './channel-seqs.ts';

/** The raw record at hand. */
export type RawSource = Pick<StageEvent<unknown>, 'topic' | 'partition' | 'offset' | 'receivedAt'>;

/** A piece of the text of a raw record, in UTF-16 units. */
export interface TextPiece {
  readonly start: number;
  readonly length: number;
}

/** One raw event of one channel. */
export interface RawEvent {
  readonly channel: string;
  /** Fine-grained provider. */
  readonly provider: string;
  /** Null where the event speaks of many markets. */
  readonly marketId: string | null;
  /** The venue's own JSON text. */
  readonly piece: TextPiece;
}

/** Gives the event the next number of its channel and writes it. */
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

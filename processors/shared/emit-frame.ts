import type { Emit } from '#infra/stages/stage';
import type { ChannelFrame } from '#schemas/topics/channels';
import type { Topic } from '#schemas/topics/topic';
import { type ChannelSeqs, nextSeq } from './channel-seqs.ts';

/** A frame without its channel and number. */
export type FrameBody = Omit<ChannelFrame, 'channel' | 'seq'>;

/**
 * Emits a frame with the next number of its channel. The stage is the channel's only writer, so every gateway node
 * sends the same numbers.
 */
export function emitFrame(
  seqs: ChannelSeqs,
  topic: Topic<ChannelFrame>,
  channel: string,
  body: FrameBody,
  emit: Emit,
): void {
  emit(topic, channel, { channel, seq: nextSeq(seqs, topic, channel), ...body });
}

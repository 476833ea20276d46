import type { Emit } from '#infra/stages/stage';
import type { ChannelFrame } from '#schemas/topics/channels';
import type { Topic } from '#schemas/topics/topic';
import { type ChannelSeqs, nextSeq } from './channel-seqs.ts';

/** A frame that has no channel and no number yet. */
export type FrameBody = Omit<ChannelFrame, 'channel' | 'seq'>;

/**
 * Gives the frame the next number of its channel and writes it. The stage is the channel's only writer, so every
 * gateway node tells the same numbers.
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

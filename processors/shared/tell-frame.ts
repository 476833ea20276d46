import type { Emit } from '#infra/stages/stage';
import type { ChannelFrame } from '#schemas/topics/channels';
import type { Topic } from '#schemas/topics/topic';

/** Newest `seq` given out, by channel: part of a stage's state. */
export type ChannelSeqs = Map<string, number>;

/** A frame that has no channel and no number yet. */
export type FrameBody = Omit<ChannelFrame, 'channel' | 'seq'>;

/**
 * Gives the frame the next number of its channel, from 1, and writes it. The stage is the channel's only writer, so every
 * gateway node tells the same numbers.
 */
export function tellFrame(
  seqs: ChannelSeqs,
  topic: Topic<ChannelFrame>,
  channel: string,
  body: FrameBody,
  emit: Emit,
): void {
  const seq = (seqs.get(channel) ?? 0) + 1;
  seqs.set(channel, seq);
  emit(topic, channel, { channel, seq, ...body });
}

import type { Emit } from '#infra/stages/stage';
import { type ChannelFrame, channelTopics } from '#schemas/topics/channels';
import type { ChannelsState } from './state.ts';

/** A frame that has no channel and no number yet. */
export type FrameBody = Omit<ChannelFrame, 'channel' | 'seq'>;

/** Gives the frame the next number of its channel, from 1, and writes it. This stage is the channel's only writer. */
export function tellFrame(state: ChannelsState, channel: string, body: FrameBody, emit: Emit): void {
  const seq = (state.seqs.get(channel) ?? 0) + 1;
  state.seqs.set(channel, seq);
  emit(channelTopics.events, channel, { channel, seq, ...body });
}

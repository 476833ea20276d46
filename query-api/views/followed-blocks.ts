/** View of the blocks of venue_b that were followed last: figures from the chain are complete up to the time of one of them. */
import { onKeyed, type Stage } from '#infra/stages/stage';
import { followedBlockTopic } from '#schemas/topics/followed-blocks';

/** About ten minutes. Tables that are further behind are complete up to no known block. */
const BLOCKS_MAX = 300;

interface SeenBlock {
  /** Event time at which it was the newest, unix ms. */
  readonly receivedAt: number;
  /** Block time, unix ms. */
  readonly ts: number;
}

export interface FollowedBlocksView {
  /** In the order of the log; at most `BLOCKS_MAX`. */
  blocks: SeenBlock[];
}

export const followedBlocksView: Stage<FollowedBlocksView> = {
  name: 'view.followed-blocks',
  inputs: [
    onKeyed(followedBlockTopic, (view: FollowedBlocksView, { value }) => {
      if (!value) return;
      view.blocks.push({ receivedAt: value.receivedAt, ts: value.ts });
      if (view.blocks.length > BLOCKS_MAX) view.blocks.shift();
    }),
  ],
  outputs: [],
  initialState: () => ({ blocks: [] }),
};

/** Time of the newest block that was followed at an event time, both unix ms; null if that is not known. */
export function followedTimeAt({ blocks }: FollowedBlocksView, eventTime: number): number | null {
  return blocks.findLast(({ receivedAt }) => receivedAt <= eventTime)?.ts ?? null;
}

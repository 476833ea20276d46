/** View of the blocks of venue_b that were followed last: figures from the chain are complete up to the time of one of them. */
import { onKeyed, type Stage } from '#infra/stages/stage';
import { followedBlockTopic } from '#schemas/topics/followed-blocks';

/** Further blocks of this time replace each other: hundreds may be followed within a second after an outage. */
const STEP_MS = 1_000;
/** At least ten minutes. Tables that are further behind are complete up to no known block. */
const BLOCKS_MAX = 600;

interface SeenBlock {
  /** Event time at which it was the newest, unix ms. */
  readonly receivedAt: number;
  /** Block time, unix ms. */
  readonly ts: number;
}

export interface FollowedBlocksView {
  /** In the order of the log, a second apart except for the newest; at most `BLOCKS_MAX`. */
  blocks: SeenBlock[];
}

export const followedBlocksView: Stage<FollowedBlocksView> = {
  name: 'view.followed-blocks',
  inputs: [
    onKeyed(followedBlockTopic, (view: FollowedBlocksView, { value }) => {
      if (!value) return;
      const { receivedAt, ts } = value;
      const { blocks } = view;
      const before = blocks.at(-2);
      if (before && receivedAt - before.receivedAt < STEP_MS) blocks.pop();
      blocks.push({ receivedAt, ts });
      if (blocks.length > BLOCKS_MAX) blocks.shift();
    }),
  ],
  outputs: [],
  initialState: () => ({ blocks: [] }),
};

/**
 * Time of the newest block that was followed before an event time, both unix ms; null if that is not known. What follows
 * from the last logs of a block has the event time of the block itself, so it may still come at that time.
 */
export function followedTimeAt({ blocks }: FollowedBlocksView, eventTime: number): number | null {
  return blocks.findLast(({ receivedAt }) => receivedAt < eventTime)?.ts ?? null;
}

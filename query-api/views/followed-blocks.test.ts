import { expect, it } from 'vitest';
import { FOLLOWED_BLOCK_KEY, followedBlockTopic } from '#schemas/topics/followed-blocks';
import { applyRecord } from '../testing/records.fixture.ts';
import { followedBlocksView, followedTimeAt } from './followed-blocks.ts';

const viewOf = (...blocks: readonly (readonly [receivedAt: number, ts: number])[]) => {
  const view = followedBlocksView.initialState();
  for (const [receivedAt, ts] of blocks)
    applyRecord(followedBlocksView, view, followedBlockTopic, FOLLOWED_BLOCK_KEY, {
      ...{ number: ts, hash: `0x${ts}`, ts, receivedAt },
    });
  return view;
};

it('returns the time of the block that was the newest before an event time', () => {
  const view = viewOf([1_500, 1_000], [3_500, 3_000], [5_500, 5_000]);
  expect([1_500, 1_501, 5_500, 9_000].map((time) => followedTimeAt(view, time))).toEqual([null, 1_000, 3_000, 5_000]);
});

it('returns an earlier block after a reorganization', () => {
  expect(followedTimeAt(viewOf([1_500, 1_000], [3_500, 3_000], [3_600, 1_000]), 4_000)).toBe(1_000);
});

it('forgets the oldest of many blocks', () => {
  const view = viewOf(...Array.from({ length: 700 }, (_, nth) => [nth * 1_000, nth] as const));
  expect([followedTimeAt(view, 100_000), followedTimeAt(view, 100_001), view.blocks.length]).toEqual([null, 100, 600]);
});

it('has the blocks of ten minutes also if hundreds are followed within a second', () => {
  const view = viewOf([0, 10], ...Array.from({ length: 900 }, (_, nth) => [5_000 + nth, 20 + nth] as const));
  expect([4_000, 5_001, 6_000].map((time) => followedTimeAt(view, time))).toEqual([10, 20, 919]);
  expect(view.blocks).toHaveLength(3);
});

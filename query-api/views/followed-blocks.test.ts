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

it('returns the time of the block that was the newest at an event time', () => {
  const view = viewOf([1_500, 1_000], [3_500, 3_000], [5_500, 5_000]);
  expect([1_499, 1_500, 5_499, 9_000].map((time) => followedTimeAt(view, time))).toEqual([null, 1_000, 3_000, 5_000]);
});

it('returns an earlier block after a reorganization', () => {
  expect(followedTimeAt(viewOf([1_500, 1_000], [3_500, 3_000], [3_600, 1_000]), 4_000)).toBe(1_000);
});

it('forgets the oldest of many blocks', () => {
  const view = viewOf(...Array.from({ length: 400 }, (_, nth) => [nth, nth] as const));
  expect([followedTimeAt(view, 99), followedTimeAt(view, 100), view.blocks.length]).toEqual([null, 100, 300]);
});

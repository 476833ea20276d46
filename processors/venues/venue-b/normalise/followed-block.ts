/**
 * The newest block of which all logs have been processed. The logs of a block follow its header, so they are complete when
 * ingest says so, with the next header, and at the end of a recording.
 */
import type { Emit } from '#infra/stages/stage';
import { FOLLOWED_BLOCK_KEY, followedBlockTopic } from '#schemas/topics/followed-blocks';
import type { ChainBlock, ChainView } from './chain-view.ts';

/**
 * Emits the block below a new head.
 * @param previousHead number of the head before it.
 * @param isReorganized true if the new head dropped blocks.
 */
export function emitBlockBelow(
  chain: ChainView,
  { previousHead, isReorganized }: { readonly previousHead: number; readonly isReorganized: boolean },
  receivedAt: number,
  emit: Emit,
): void {
  const below = isReorganized
    ? [...chain.blocks.values()].findLast(({ number }) => number < chain.head)
    : chain.blocks.get(previousHead);
  if (below && below.number < chain.head) emitFollowed(chain, below, receivedAt, emit);
}

/**
 * Emits the newest block, whose logs are complete.
 * @param hash of the block whose logs are complete; null for the newest one.
 */
export function emitCompleteBlock(chain: ChainView, hash: string | null, receivedAt: number, emit: Emit): void {
  const newest = chain.blocks.get(chain.head);
  if (newest && (hash === null || newest.hash === hash)) emitFollowed(chain, newest, receivedAt, emit);
}

function emitFollowed(
  chain: ChainView,
  { number, hash, timestampMs }: ChainBlock,
  receivedAt: number,
  emit: Emit,
): void {
  if (chain.followed === hash) return;
  chain.followed = hash;
  emit(followedBlockTopic, FOLLOWED_BLOCK_KEY, { number, hash, ts: timestampMs, receivedAt });
}

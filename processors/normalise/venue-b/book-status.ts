/** The liveness of venue_b books: one status per token, kept with the book that it speaks of. */
import type { Emit } from '#infra/stages/stage';
import { statusTopics } from '#schemas/topics/normalised';
import { createLiveness } from '../shared/liveness.ts';
import type { VenueBState } from './state.ts';
import type { FrameSource } from './token-books.ts';

export const liveness = createLiveness(statusTopics.venue_b);

/** Changes of the token came for which there is no whole book: it is recovering until the next snapshot. */
export function awaitSnapshot(state: VenueBState, token: string, source: FrameSource, emit: Emit): void {
  const { feed, marketId, receivedAt } = source;
  liveness.bookMissed(state.liveness, { provider: 'venue_b', instrument: token, marketId, feed }, receivedAt, emit);
}

/** The token has no book any more: its market is over, or room was needed. */
export function forgetToken(state: VenueBState, token: string, emit: Emit): void {
  state.books.delete(token);
  liveness.forget(state.liveness, token, emit);
}

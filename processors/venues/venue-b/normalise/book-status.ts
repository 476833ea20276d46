/** Liveness of venue_b books: one status per token, in step with the token's book. */
import type { Emit } from '#infra/stages/stage';
import { statusTopics } from '#schemas/topics/normalised';
import { createLiveness } from '../../shared/liveness.ts';
import type { VenueBState } from './state.ts';
import type { FrameSource } from './token-books.ts';

export const liveness = createLiveness(statusTopics.venue_b);

/** Marks a token as recovering until its next snapshot: changes came that have no complete book to apply to. */
export function awaitSnapshot(state: VenueBState, token: string, source: FrameSource, emit: Emit): void {
  const { feed, marketId, receivedAt } = source;
  liveness.bookMissed(state.liveness, { provider: 'venue_b', instrument: token, marketId, feed }, receivedAt, emit);
}

/** Removes the book and the status of a token, because its market closed or the book was evicted. */
export function forgetToken(state: VenueBState, token: string, emit: Emit): void {
  state.books.delete(token);
  liveness.forget(state.liveness, token, emit);
}

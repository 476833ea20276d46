/** The books of an event (`GET /v1/events/{id}/books`), and why one has no levels; pure. */
import type { Level } from '../../format/depth.ts';
import { wordsOf } from '../../format/names.ts';

export interface EventBook {
  readonly provider: string;
  readonly marketId: string;
  readonly state: string | null;
  readonly ts: string | null;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** Why a book has no level of either side. */
export function emptyBookReason({ state, ts }: Pick<EventBook, 'state' | 'ts'>): string {
  if (state === 'closed' || state === 'resolved') return `the market is ${state}`;
  if (ts === null) return 'no book of this market was received';
  if (state === null) return 'nothing is known about the connection to the market';
  return state === 'live'
    ? 'nobody offers anything'
    : `nobody offered anything, and the market is ${wordsOf(state).toLowerCase()}`;
}

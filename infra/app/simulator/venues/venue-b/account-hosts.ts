import { runInTurns } from '../../turns.ts';
import { type Answer, ok } from './gamma.ts';
import type { Holdings } from './holdings.ts';

/** Paths of the v1 account host that return bare lists (venue page, section 4). */
const LISTS = new Set(['closed-positions', 'trades', 'activity', 'holders', 'oi', 'live-volume']);

/**
 * Answers venue_b's account host as of a block: the v1 positions and their value; every other list is empty and every sum
 * zero.
 */
export async function answerData(
  holdings: Holdings,
  path: string,
  query: URLSearchParams,
  head: number,
): Promise<Answer> {
  const [first = '', second] = path.split('/').filter(Boolean);
  const user = query.get('user') ?? '';
  if (first === 'v2') {
    return ok({ data: [], pagination: { limit: Number(query.get('limit') ?? 100), has_more: false, next_cursor: '' } });
  }
  if (first === 'positions') return runInTurns(holdings.positions(query, head));
  if (first === 'value') return runInTurns(holdings.value(query, head));
  if (first === 'traded') return ok({ user, traded: 0 });
  if (LISTS.has(first) || (first === 'v1' && (second === 'leaderboard' || second === 'builders'))) return ok([]);
  return { status: 404, text: '{"error":"not found"}' };
}

/** Answers venue_b's PnL series, which is empty for every account. */
export function answerPnl(): Answer {
  return ok([]);
}

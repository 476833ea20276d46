import { type Answer, ok } from './gamma.ts';

/** Paths of the v1 account host that answer bare lists (venue page, section 4). */
const LISTS = new Set(['positions', 'closed-positions', 'trades', 'activity', 'holders', 'oi', 'live-volume']);

/** venue_b's account host: the simulated accounts hold nothing yet, so every list is empty and every sum zero. */
export function answerData(path: string, query: URLSearchParams): Answer {
  const [first = '', second] = path.split('/').filter(Boolean);
  const user = query.get('user') ?? '';
  if (first === 'v2') {
    return ok({ data: [], pagination: { limit: Number(query.get('limit') ?? 100), has_more: false, next_cursor: '' } });
  }
  if (first === 'value') return ok([{ user, value: 0 }]);
  if (first === 'traded') return ok({ user, traded: 0 });
  if (LISTS.has(first) || (first === 'v1' && (second === 'leaderboard' || second === 'builders'))) return ok([]);
  return { status: 404, text: '{"error":"not found"}' };
}

/** venue_b's PnL series: an account that nobody knows has an empty one. */
export function answerPnl(): Answer {
  return ok([]);
}

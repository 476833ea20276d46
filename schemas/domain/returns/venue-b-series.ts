/** Reads the response to user-pnl v1 of venue_b (venue page, section 4). */
import { readJsonNumber } from '../accounts/venue-b-value.ts';
import type { Decimal } from '../decimal.ts';
import { FieldError, parseJsonOrNull, readInteger, readList } from '../json-fields.ts';
import { jsonElements, jsonMembers } from '../json-members.ts';
import { type SeriesPoint, WINDOWS, type Window } from './series.ts';

/** The venue's name of each window. */
export const USER_PNL_INTERVALS: Readonly<Record<Window, string>> = { '1D': '1d', '1W': '1w', '1M': '1m', ALL: 'all' };

/**
 * Reads the series from the text of the response, so that numbers count as written. The venue states profit since the
 * account began and no value. An account that it does not know has no points. Throws a `FieldError` for any other shape.
 */
export function readUserPnl(text: string): SeriesPoint[] {
  readList(parseJsonOrNull(text), 'user-pnl');
  let before = 0;
  let first: Decimal | null = null;
  return jsonElements(text).map(({ start, end }, at) => {
    const row = text.slice(start, end);
    const { members } = jsonMembers(row);
    const textOf = (name: string) => {
      const range = members.get(name);
      return range ? row.slice(range.start, range.end) : '';
    };
    const t = readInteger(parseJsonOrNull(textOf('t')), `user-pnl[${at}].t`);
    if (t < before) throw new FieldError(`user-pnl[${at}].t`, `a time from ${before} on`, t);
    before = t;
    const profit = readJsonNumber(textOf('p'), `user-pnl[${at}].p`);
    first ??= profit;
    return { ts: t * 1000, nav: null, pnl: (profit - first) as Decimal };
  });
}

/** What a recorded request is for. The distance of the points does not count. */
export interface UserPnlQuery {
  /** In lower case; empty for what is no such request. */
  readonly address: string;
  /** Null for what is no such request. */
  readonly window: Window | null;
}

/** @param request `GET /path?query`. */
export function readUserPnlRequest(request: string): UserPnlQuery {
  const query = new URLSearchParams(request.slice(request.indexOf('?') + 1));
  const interval = query.get('interval');
  const window = WINDOWS.find((name) => USER_PNL_INTERVALS[name] === interval) ?? null;
  return { address: (query.get('user_address') ?? '').toLowerCase(), window };
}

/** Sorts and pages the events of the board by figures that change from page to page. */
import { bestFirst } from '#schemas/domain/best-edge';
import { largestDistance } from '#schemas/domain/consensus-score';
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';
import { selectsProvider } from '#schemas/domain/providers';
import type { Arbitrage, Spread, UniversalEvent } from '#schemas/topics/derived';
import type { EventsView } from '../views/events.ts';
import { hasWords } from './event-filter.ts';
import { type MarketActivity, sumActivity } from './read-market-activity.ts';
import { invalidCursor } from './time-cursor.ts';

export const BOARD_SORTS = ['edge', 'spread', 'volume', 'updated', 'name'] as const;
export type BoardSort = (typeof BOARD_SORTS)[number];
export type BoardOrder = 'asc' | 'desc';

export interface BoardFilter {
  /** Words that the name contains, in lower case. */
  readonly words: readonly string[];
  /** A provider of a link, or the venue of one. */
  readonly provider: string | undefined;
  readonly status: UniversalEvent['status'];
  /** Minimum of the largest net edge; null accepts events without arbitrage too. */
  readonly minEdge: Decimal | null;
}

export interface BoardOptions {
  readonly filter: BoardFilter;
  readonly sort: BoardSort;
  readonly order: BoardOrder;
  readonly limit: number;
  readonly cursor: string | null;
  readonly activity: MarketActivity;
  /** True while the figures lag: then no leg is live, and there is no arbitrage. */
  readonly isBehind: boolean;
}

/** An event with its newest figures. */
export interface BoardEvent {
  readonly event: UniversalEvent;
  /** Null before the first spread. */
  readonly spread: Spread | null;
  /** The record of each kind, the best first. */
  readonly arbitrage: readonly Arbitrage[];
}

export interface BoardPage {
  readonly items: readonly BoardEvent[];
  readonly nextCursor: string | null;
}

/** What an event is sorted by; null for an unknown figure, which comes last in either order. */
type Value = bigint | string | null;

interface SortKey {
  readonly value: Value;
  readonly universalId: string;
}

/** UTF-8 bytes of a name that it is sorted by, so that its cursor stays short. */
const NAME_BYTES_MAX = 300;

/**
 * Returns the events that match, after the cursor. The cursor holds the figure of the last row, so a page begins at the
 * same figure however it changes meanwhile; an event whose figure moves across it is listed twice or not at all. Throws
 * 400 for an invalid cursor. The view is read at once, so all rows are of one moment.
 */
export function listBoard(
  view: Pick<EventsView, 'listed' | 'spreads' | 'arbitrage'>,
  options: BoardOptions,
): BoardPage {
  const { filter, sort, order, limit, cursor, activity, isBehind } = options;
  const after = cursor === null ? null : readCursor(cursor, sort, order);
  const found: (BoardEvent & SortKey)[] = [];
  for (const chunk of view.listed)
    for (const event of chunk) {
      if (!matches(event, filter)) continue;
      const { universalId } = event;
      const kinds = isBehind ? undefined : view.arbitrage.get(universalId);
      const arbitrage = kinds === undefined ? [] : bestFirst(kinds.values(), netEdgeOf);
      const [best] = arbitrage;
      if (filter.minEdge !== null && (best === undefined || netEdgeOf(best) < filter.minEdge)) continue;
      const spread = view.spreads.get(universalId) ?? null;
      const value = sortValue({ event, spread, arbitrage }, sort, activity, isBehind);
      const item = { event, spread, arbitrage, value, universalId };
      if (after === null || compare(item, after, order) > 0) found.push(item);
    }
  found.sort((a, b) => compare(a, b, order));
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last ? formatCursor(last, sort, order) : null };
}

function matches(event: UniversalEvent, { words, provider, status }: BoardFilter): boolean {
  if (event.status !== status || !hasWords(event.canonicalName, words)) return false;
  return provider === undefined || event.links.some((link) => selectsProvider(provider, link.provider));
}

const netEdgeOf = ({ netEdge }: Arbitrage): Decimal => parseDecimal(netEdge);

function sortValue(
  { event, spread, arbitrage: [best] }: BoardEvent,
  sort: BoardSort,
  activity: MarketActivity,
  isBehind: boolean,
): Value {
  switch (sort) {
    case 'edge':
      return best === undefined ? null : netEdgeOf(best);
    case 'spread':
      return spread && !isBehind ? largestDistance(spread.legs) : null;
    case 'volume':
      return sumActivity(activity, event.links).volume;
    case 'updated':
      return BigInt(updatedAt({ event, spread }));
    case 'name':
      return nameKey(event.canonicalName);
  }
}

/** When the prices or the links of an event last changed, unix ms. */
function updatedAt({ event, spread }: Pick<BoardEvent, 'event' | 'spread'>): number {
  return Math.max(event.receivedAt, spread?.receivedAt ?? 0);
}

function nameKey(name: string): string {
  const text = name.toLowerCase();
  return text.length * 3 <= NAME_BYTES_MAX ? text : Buffer.from(text).subarray(0, NAME_BYTES_MAX).toString();
}

function compare(a: SortKey, b: SortKey, order: BoardOrder): number {
  if (a.value === b.value) return a.universalId === b.universalId ? 0 : a.universalId < b.universalId ? -1 : 1;
  if (a.value === null) return 1;
  if (b.value === null) return -1;
  return a.value < b.value === (order === 'asc') ? -1 : 1;
}

function formatCursor({ value, universalId }: SortKey, sort: BoardSort, order: BoardOrder): string {
  return Buffer.from(`${sort} ${order} ${universalId}${value === null ? '' : ` ${value}`}`).toString('base64url');
}

/** Parses a cursor of the same sort and order. Throws 400 for any other text. */
function readCursor(cursor: string, sort: BoardSort, order: BoardOrder): SortKey {
  const parts = /^(\w+) (\w+) (\S+)(?: (.*))?$/s.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (parts?.[1] !== sort || parts[2] !== order) throw invalidCursor();
  const [universalId, text] = [parts[3]!, parts[4]];
  if (text === undefined) return { value: null, universalId };
  if (sort === 'name') return { value: text, universalId };
  if (!/^-?\d{1,60}$/.test(text)) throw invalidCursor();
  return { value: BigInt(text), universalId };
}

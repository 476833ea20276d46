import { type Catalog, type Json, TAGS } from './catalog.ts';
import type { ListedMarket, MarketBoard } from './market-board.ts';

/** Answer of one of venue_b's hosts. */
export interface Answer {
  readonly status: number;
  /** JSON text. */
  readonly text: string;
}

export function ok(value: unknown): Answer {
  return { status: 200, text: JSON.stringify(value) };
}

const NOT_FOUND: Answer = { status: 404, text: '{"type":"not found error","error":"not found"}' };
const INVALID: Answer = { status: 422, text: '{"type":"validation error","error":"invalid query parameter"}' };
const PAGE = { fallback: 20, most: 100 };
/** Largest offset of lists; keyset pages have no such limit (venue page, section 2). */
const MAX_OFFSET = 10_000;

interface Page {
  readonly limit: number;
  readonly offset: number;
}

function pageOf(query: URLSearchParams): Page | null {
  const limit = Number(query.get('limit') ?? PAGE.fallback);
  const offset = Number(query.get('offset') ?? 0);
  if (!Number.isInteger(limit) || !Number.isInteger(offset) || limit < 0 || offset < 0 || offset > MAX_OFFSET)
    return null;
  return { limit: Math.min(limit, PAGE.most), offset };
}

/** Filter of rows by one query parameter. */
type Filter = (row: Json) => boolean;

function flagFilter(query: URLSearchParams, name: string, field = name): Filter | null {
  const text = query.get(name);
  return text === null ? null : (row) => String(row[field]) === text;
}

function boundFilter(query: URLSearchParams, name: string, field: string, isLeast: boolean): Filter | null {
  const text = query.get(name);
  if (text === null) return null;
  const bound = /^[\d.]+$/.test(text) ? Number(text) : Date.parse(text);
  const value = (row: Json) => (typeof row[field] === 'number' ? row[field] : Date.parse(String(row[field])));
  return (row) => (isLeast ? value(row) >= bound : value(row) <= bound);
}

function tagFilter(query: URLSearchParams): Filter | null {
  const id = query.get('tag_id');
  const slug = query.get('tag_slug');
  if (id === null && slug === null) return null;
  const known = TAGS.some((tag) => (id === null || tag.id === id) && (slug === null || tag.slug === slug));
  return () => known;
}

function filtersOf(query: URLSearchParams, isMarket: boolean): Filter[] {
  const [volume, liquidity] = isMarket ? ['volume_num', 'liquidity_num'] : ['volume', 'liquidity'];
  const [volumeField, liquidityField] = isMarket ? ['volumeNum', 'liquidityNum'] : ['volume', 'liquidity'];
  const filters = [
    flagFilter(query, 'active'),
    flagFilter(query, 'closed'),
    flagFilter(query, 'archived'),
    flagFilter(query, 'featured'),
    isMarket ? flagFilter(query, 'uma_resolution_status', 'umaResolutionStatus') : null,
    tagFilter(query),
    boundFilter(query, 'start_date_min', 'startDate', true),
    boundFilter(query, 'start_date_max', 'startDate', false),
    boundFilter(query, 'end_date_min', 'endDate', true),
    boundFilter(query, 'end_date_max', 'endDate', false),
    boundFilter(query, `${volume}_min`, volumeField, true),
    boundFilter(query, `${volume}_max`, volumeField, false),
    boundFilter(query, `${liquidity}_min`, liquidityField, true),
    boundFilter(query, `${liquidity}_max`, liquidityField, false),
  ];
  return filters.filter((filter) => filter !== null);
}

function ordered(rows: Json[], query: URLSearchParams): Json[] {
  const fields = query.get('order')?.split(',') ?? [];
  if (fields.length === 0) return rows;
  const sign = query.get('ascending') === 'true' ? 1 : -1;
  const rank = (row: Json, field: string) => (/^\d+$/.test(String(row[field])) ? Number(row[field]) : row[field]);
  return rows.sort((a, b) => {
    for (const field of fields) {
      const [left, right] = [rank(a, field), rank(b, field)] as [string, string];
      if (left !== right) return left < right ? -sign : sign;
    }
    return 0;
  });
}

/** Cursors of keyset pages hold the number of the last row. */
const cursorOf = (id: number) => Buffer.from(JSON.stringify({ after: id })).toString('base64url');
function readCursor(text: string | null): number | null {
  if (text === null || text === '') return -1;
  try {
    const { after } = JSON.parse(Buffer.from(text, 'base64url').toString()) as { after?: unknown };
    return typeof after === 'number' ? after : null;
  } catch {
    // An unreadable cursor is an invalid parameter.
    return null;
  }
}

/** Returns the first `most` rows. */
function firstRows(rows: Iterable<Json>, most: number): Json[] {
  const chosen: Json[] = [];
  if (most === 0) return chosen;
  for (const row of rows) {
    chosen.push(row);
    if (chosen.length === most) break;
  }
  return chosen;
}

/** Creates the handler of venue_b's catalog host, which answers from the world as of a time. */
export function createGamma(board: MarketBoard, catalog: Catalog) {
  const byNumber = (a: ListedMarket, b: ListedMarket) => Number(a.ids.marketId) - Number(b.ids.marketId);

  /** Markets that match the id parameters; all without such parameters. */
  const chosenMarkets = (query: URLSearchParams, atMs: number): ListedMarket[] => {
    const all = [...board.all(atMs)].sort(byNumber);
    const lookups: [string, (id: string) => ListedMarket | null | undefined][] = [
      ['id', (id) => board.byMarketId(id, atMs)],
      ['slug', (id) => board.bySlug(id, atMs)],
      ['condition_ids', (id) => board.byCondition(id, atMs)],
      ['clob_token_ids', (id) => board.byToken(id, atMs)?.market],
      ['question_ids', (id) => all.find((market) => market.ids.questionId === id.toLowerCase())],
    ];
    let chosen = all;
    for (const [name, lookup] of lookups) {
      const ids = query.getAll(name);
      if (ids.length === 0) continue;
      const named = new Set(ids.map(lookup));
      chosen = chosen.filter((market) => named.has(market));
    }
    return chosen;
  };
  // Rows are generated lazily, so that a page does not cost as much as the complete catalog.
  function* marketRows(query: URLSearchParams, atMs: number, after = -1): Generator<Json> {
    const filters = filtersOf(query, true);
    // Closed markets are found by token only if the parameter `closed` is given.
    if (query.has('clob_token_ids') && !query.has('closed')) filters.push((row) => row.closed === false);
    for (const market of chosenMarkets(query, atMs)) {
      if (Number(market.ids.marketId) <= after) continue;
      const row = catalog.market(market, atMs);
      if (filters.every((filter) => filter(row))) yield row;
    }
  }
  function* eventRows(query: URLSearchParams, atMs: number, after = -1): Generator<Json> {
    const filters = filtersOf(query, false);
    const ids = query.getAll('id');
    const slugs = query.getAll('slug');
    if (slugs.length > 0) filters.push((row) => slugs.includes(String(row.slug)));
    for (const id of catalog.eventIds(atMs)) {
      if (id <= after || (ids.length > 0 && !ids.includes(String(id)))) continue;
      const row = catalog.event(id, atMs);
      if (row && filters.every((filter) => filter(row))) yield row;
    }
  }

  const list = (rows: Iterable<Json>, query: URLSearchParams): Answer => {
    const page = pageOf(query);
    if (!page) return INVALID;
    if (query.has('order')) return ok(ordered([...rows], query).slice(page.offset, page.offset + page.limit));
    return ok(firstRows(rows, page.offset + page.limit).slice(page.offset));
  };
  const keyset = (
    name: 'events' | 'markets',
    rowsOf: (query: URLSearchParams, atMs: number, after: number) => Iterable<Json>,
    query: URLSearchParams,
    atMs: number,
  ): Answer => {
    const page = pageOf(query);
    const after = readCursor(query.get('after_cursor'));
    if (!page || after === null) return INVALID;
    const rows = firstRows(rowsOf(query, atMs, after), page.limit + 1);
    const listed = rows.slice(0, page.limit);
    const last = listed.at(-1);
    return ok({
      [name]: listed,
      ...(rows.length > listed.length && last ? { next_cursor: cursorOf(Number(last.id)) } : {}),
    });
  };
  const one = (row: Json | null | undefined): Answer => (row ? ok(row) : NOT_FOUND);
  const search = (query: URLSearchParams, atMs: number): Answer => {
    const words = (query.get('q') ?? '').toLowerCase().split(/\s+/);
    const matches = (row: Json) => words.every((word) => String(row.title).toLowerCase().includes(word));
    const rows = [...eventRows(new URLSearchParams(), atMs)].filter(matches);
    const events = rows.slice(0, 10);
    return ok({ events, tags: [], profiles: [], pagination: { hasMore: rows.length > 10, totalResults: rows.length } });
  };

  return (path: string, query: URLSearchParams, atMs: number): Answer => {
    const [collection = '', second, third] = path.split('/').filter(Boolean);
    if (collection === 'markets') {
      if (second === undefined) return list(marketRows(query, atMs), query);
      if (second === 'keyset') return keyset('markets', marketRows, query, atMs);
      const market = second === 'slug' ? board.bySlug(third ?? '', atMs) : board.byMarketId(second, atMs);
      return one(market && catalog.market(market, atMs));
    }
    if (collection === 'events') {
      if (second === undefined) return list(eventRows(query, atMs), query);
      if (second === 'keyset') return keyset('events', eventRows, query, atMs);
      const chosen = new URLSearchParams(second === 'slug' ? { slug: third ?? '' } : { id: second });
      return one(firstRows(eventRows(chosen, atMs), 1)[0]);
    }
    if (collection === 'tags') return ok(TAGS);
    if (collection === 'series') return ok([]);
    if (collection === 'public-search') return search(query, atMs);
    if (collection === 'public-profile') return NOT_FOUND;
    return NOT_FOUND;
  };
}

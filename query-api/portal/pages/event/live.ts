/** What the channels of events change in what REST returned. All times are those of the pipeline. */
import { bestFirst } from '#schemas/domain/best-edge';
import { channelName, type StreamEvent } from '#stream-gateway/client/stream-client';
import type { BoardRow } from './board.ts';
import type { Edge, Spread, Trade, Trades } from './shapes.ts';

export const spreadChannel = (universalId: string): string => channelName('event', universalId);
export const tradeChannel = (universalId: string): string => channelName('trade', universalId);
export const edgeChannel = (universalId: string): string => channelName('arbitrage', universalId);

export const anomalyChannel = (universalId: string): string => channelName('anomaly', universalId);
export const disputeChannel = (universalId: string): string => channelName('settlement_dispute', universalId);
export const settlementChannel = (universalId: string): string => channelName('settlement', universalId);

/** A key of its own for each kind of arbitrage, since a channel has both. */
export function eventKey({ channel, data }: StreamEvent): string {
  return data.type === 'event.arbitrage' ? `${channel} ${(data.payload as Edge).kind}` : channel;
}

/** The id of the anomaly, dispute phase or trade that an event carries. */
export function recordKey({ data }: StreamEvent): string {
  return (data.payload as { readonly id: string }).id;
}

const isLater = (time: string, than: string): boolean => Date.parse(time) > Date.parse(than);

export function withSpreads(spread: Spread, events: Iterable<StreamEvent>): Spread {
  let newest = spread;
  for (const { data } of events) {
    const next = data.payload as Spread;
    if (next.universalId === spread.universalId && isLater(next.fetchedAt, newest.fetchedAt)) newest = next;
  }
  return newest;
}

/** Trades of an event that its page lists. */
export const TRADES_SHOWN = 20;

/** Adds trades, replaces them by their newest status, and removes those that were reverted. */
export function withTrades(list: Trades, events: Iterable<StreamEvent>): Trades {
  const readAt = Date.parse(list.fetchedAt);
  const later = [...events].filter(({ data }) => data.receivedAt > readAt).map(({ data }) => data.payload as Trade);
  if (later.length === 0) return list;
  const changed = new Set(later.map(({ id }) => id));
  const trades = [...later.reverse(), ...list.trades.filter(({ id }) => !changed.has(id))]
    .filter(({ status }) => status !== 'reverted')
    .sort((a, b) => Date.parse(b.ts) - Date.parse(a.ts));
  return { ...list, trades: trades.slice(0, TRADES_SHOWN) };
}

export interface Edges {
  /** Set for the list of one event. */
  readonly universalId?: string;
  readonly records: readonly Edge[];
  /** Pairs of markets of one event that cannot be quoted. */
  readonly absent?: readonly { readonly kind: Edge['kind']; readonly reason: string }[] | undefined;
  readonly fetchedAt: string;
}

const byNetEdge = (a: Edge, b: Edge): number => b.netEdge - a.netEdge;

/** Replaces the arbitrage of the same event and kind. One that is new is added if the list is of its event alone. */
export function withEdges<T extends Edges>(edges: T, events: Iterable<StreamEvent>): T {
  const later = [...events].map(({ data }) => data.payload as Edge).filter(({ at }) => isLater(at, edges.fetchedAt));
  if (later.length === 0) return edges;
  const records = later.reduce<Edge[]>((all, next) => withEdge(all, next, edges.universalId), [...edges.records]);
  return { ...edges, records: edges.universalId === undefined ? records.sort(byNetEdge) : records };
}

function withEdge(records: Edge[], next: Edge, listed: string | undefined): Edge[] {
  const isSame = ({ universalId, kind }: Edge) => universalId === next.universalId && kind === next.kind;
  if (records.some(isSame)) return records.map((edge) => (isSame(edge) ? { ...edge, ...next } : edge));
  if (listed !== next.universalId) return records;
  return [...records, next].sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

export interface Board {
  readonly rows: readonly BoardRow[];
  readonly fetchedAt: string;
}

/** Rows with events in them, by the row as it was read. */
const changedRows = new WeakMap<BoardRow, { readonly events: readonly StreamEvent[]; readonly row: BoardRow }>();

/**
 * Changes the rows of events: prices and spread by their newest spread, arbitrage by the newest one of each kind. A row
 * whose events are the same as before stays the same object.
 */
export function withBoardEvents<T extends Board>(board: T, events: Iterable<StreamEvent>): T {
  const later = new Map<string, StreamEvent[]>();
  for (const event of events) {
    const next = event.data.payload as Spread | Edge;
    if (!isLater('legs' in next ? next.fetchedAt : next.at, board.fetchedAt)) continue;
    const own = later.get(next.universalId);
    if (own) own.push(event);
    else later.set(next.universalId, [event]);
  }
  if (later.size === 0) return board;
  return { ...board, rows: board.rows.map((row) => withRowEvents(row, later.get(row.universalId) ?? [])) };
}

function withRowEvents(row: BoardRow, events: readonly StreamEvent[]): BoardRow {
  if (events.length === 0) return row;
  const known = changedRows.get(row);
  if (known?.events.length === events.length && known.events.every((event, at) => event === events[at]))
    return known.row;
  let changed = row;
  for (const { data } of events) {
    const next = data.payload as Spread | Edge;
    changed = 'legs' in next ? withLegs(changed, next) : withKind(changed, next);
  }
  changedRows.set(row, { events, row: changed });
  return changed;
}

function withLegs(row: BoardRow, { legs, spread }: Spread): BoardRow {
  const since = (provider: string, marketId: string, state: string | null) =>
    row.legs.find((leg) => leg.provider === provider && leg.marketId === marketId && leg.state === state)?.since ??
    null;
  return {
    ...row,
    legs: legs.map(({ asOf: _, ...leg }) => ({ ...leg, since: since(leg.provider, leg.marketId, leg.state) })),
    spread,
  };
}

function withKind(row: BoardRow, { kind, netEdge, grossEdge, size, quoteAgeMs }: Edge): BoardRow {
  const others = row.edges.filter((edge) => edge.kind !== kind);
  const edges = bestFirst([...others, { kind, netEdge, grossEdge, size, quoteAgeMs }], (edge) => edge.netEdge);
  return { ...row, edges, edge: edges[0]!, noEdge: null };
}

/** The newest event of each channel. */
export function newestByChannel(events: Iterable<StreamEvent>): ReadonlyMap<string, StreamEvent> {
  const newest = new Map<string, StreamEvent>();
  for (const event of events) {
    const known = newest.get(event.channel);
    if (known === undefined || event.data.receivedAt >= known.data.receivedAt) newest.set(event.channel, event);
  }
  return newest;
}

/** The number of the newest event of any of these channels; null before the first one. */
export function newestSeq(newestOf: ReadonlyMap<string, StreamEvent>, ...channels: string[]): number | null {
  let newest: StreamEvent | null = null;
  for (const channel of channels) {
    const event = newestOf.get(channel);
    if (event && (newest === null || event.data.receivedAt >= newest.data.receivedAt)) newest = event;
  }
  return newest?.seq ?? null;
}

/** What the channels of events change in what REST returned. All times are those of the pipeline. */
import { channelName, type StreamEvent } from '#stream-gateway/client/stream-client';
import type { BoardRow } from './board.ts';
import type { Edge, Spread } from './shapes.ts';

export const spreadChannel = (universalId: string): string => channelName('event', universalId);
export const edgeChannel = (universalId: string): string => channelName('arbitrage', universalId);

export const anomalyChannel = (universalId: string): string => channelName('anomaly', universalId);
export const disputeChannel = (universalId: string): string => channelName('settlement_dispute', universalId);
export const settlementChannel = (universalId: string): string => channelName('settlement', universalId);

/** A key of its own for each kind of arbitrage, since a channel has both. */
export function eventKey({ channel, data }: StreamEvent): string {
  return data.type === 'event.arbitrage' ? `${channel} ${(data.payload as Edge).kind}` : channel;
}

/** The id of the anomaly or dispute phase that an event carries. */
export function recordKey({ data }: StreamEvent): string {
  return (data.payload as { readonly id: string }).id;
}

const isLater = (time: string, than: string): boolean => Date.parse(time) > Date.parse(than);

/** The largest distance between the mids of live legs; null with fewer than two. */
export function distanceOf(
  legs: readonly { readonly state: string | null; readonly yesMid: number | null }[],
): number | null {
  const mids = legs.flatMap(({ state, yesMid }) => (state === 'live' && yesMid !== null ? [yesMid] : []));
  // Prices have at most 18 decimals; twelve hide the error of the subtraction.
  return mids.length < 2 ? null : Number((Math.max(...mids) - Math.min(...mids)).toFixed(12));
}

export function withSpread(spread: Spread, { data }: StreamEvent): Spread {
  const next = data.payload as Spread;
  return next.universalId === spread.universalId && isLater(next.fetchedAt, spread.fetchedAt) ? next : spread;
}

export interface Edges {
  /** Of the list of one event. */
  readonly universalId?: string;
  readonly records: readonly Edge[];
  /** Pairs of markets of one event that cannot be quoted. */
  readonly absent?: readonly { readonly kind: Edge['kind']; readonly reason: string }[] | undefined;
  readonly fetchedAt: string;
}

const byNetEdge = (a: Edge, b: Edge): number => b.netEdge - a.netEdge;

/** Replaces the arbitrage of the same event and kind. One that is new is added if the list is of its event alone. */
export function withEdge<T extends Edges>(edges: T, { data }: StreamEvent): T {
  const next = data.payload as Edge;
  if (!isLater(next.at, edges.fetchedAt)) return edges;
  const isSame = (edge: Edge) => edge.universalId === next.universalId && edge.kind === next.kind;
  if (edges.records.some(isSame)) {
    const records = edges.records.map((edge) => (isSame(edge) ? { ...edge, ...next } : edge));
    return { ...edges, records: edges.universalId === undefined ? records.sort(byNetEdge) : records };
  }
  if (edges.universalId !== next.universalId) return edges;
  const records = [...edges.records, next].sort((a, b) => (a.kind < b.kind ? -1 : 1));
  return { ...edges, records };
}

export interface Board {
  readonly rows: readonly BoardRow[];
  readonly fetchedAt: string;
}

/** Changes the row of an event: prices and spread by its spread, the best edge by its arbitrage. */
export function withBoardEvent<T extends Board>(board: T, event: StreamEvent): T {
  const { type, payload } = event.data;
  if (type === 'event.spread') {
    const next = payload as Spread;
    return isLater(next.fetchedAt, board.fetchedAt)
      ? changed(board, next.universalId, (row) => withLegs(row, next))
      : board;
  }
  const next = payload as Edge;
  return isLater(next.at, board.fetchedAt) ? changed(board, next.universalId, (row) => withBest(row, next)) : board;
}

function changed<T extends Board>(board: T, universalId: string, change: (row: BoardRow) => BoardRow): T {
  return { ...board, rows: board.rows.map((row) => (row.universalId === universalId ? change(row) : row)) };
}

function withLegs(row: BoardRow, { legs }: Spread): BoardRow {
  const since = (provider: string, marketId: string, state: string | null) =>
    row.legs.find((leg) => leg.provider === provider && leg.marketId === marketId && leg.state === state)?.since ??
    null;
  return {
    ...row,
    legs: legs.map(({ asOf: _, ...leg }) => ({ ...leg, since: since(leg.provider, leg.marketId, leg.state) })),
    spread: distanceOf(legs),
  };
}

function withBest(row: BoardRow, { kind, netEdge, grossEdge, size, quoteAgeMs }: Edge): BoardRow {
  const { edge } = row;
  // The other kind of arbitrage may be the better one.
  if (edge !== null && edge.kind !== kind && edge.netEdge >= netEdge) return row;
  return { ...row, edge: { kind, netEdge, grossEdge, size, quoteAgeMs }, noEdge: null };
}

/** The number of the newest event of any of these channels; null before the first one. */
export function newestSeq(events: ReadonlyMap<string, StreamEvent>, ...channels: string[]): number | null {
  let newest: StreamEvent | null = null;
  for (const event of events.values())
    if (channels.includes(event.channel) && (newest === null || event.data.receivedAt >= newest.data.receivedAt))
      newest = event;
  return newest?.seq ?? null;
}

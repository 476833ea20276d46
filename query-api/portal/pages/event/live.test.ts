import { describe, expect, it } from 'vitest';
import type { StreamEvent } from '#stream-gateway/client/stream-client';
import type { BoardRow } from './board.ts';
import {
  edgeChannel,
  eventKey,
  newestByChannel,
  newestSeq,
  spreadChannel,
  TRADES_SHOWN,
  tradeChannel,
  withBoardEvents,
  withEdges,
  withSpreads,
  withTrades,
} from './live.ts';
import type { Edge, Leg, Spread, Trade } from './shapes.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const leg = (provider: string, yesMid: number | null, state: string | null = 'live'): Leg => ({
  provider,
  marketId: 'm',
  yesBid: yesMid,
  yesAsk: yesMid,
  yesMid,
  state,
  asOf: at(0),
});
const spread = (second: number, ...legs: Leg[]): Spread => ({
  universalId: 'evt_1',
  legs,
  spread: 0.25,
  fetchedAt: at(second),
});
const edge = (second: number, netEdge: number, kind: Edge['kind'] = 'cross_provider', universalId = 'evt_1'): Edge => ({
  kind,
  universalId,
  size: 100,
  grossEdge: 0.1,
  netEdge,
  quoteAgeMs: 5,
  at: at(second),
});
function event(type: string, payload: object, seq = 1): StreamEvent {
  const channel = type === 'event.spread' ? spreadChannel('evt_1') : edgeChannel('evt_1');
  const data = { type, provider: null, marketId: null, payload, receivedAt: seq };
  return { type: 'event', channel, epoch: 'e', seq, cursor: `e.${seq}`, data };
}

describe('a spread', () => {
  it('replaces an earlier one, and never a later one', () => {
    const read = spread(10, leg('a', 0.5));
    const [later, earlier] = [spread(11, leg('a', 0.6)), spread(9, leg('a', 0.4))];
    expect(withSpreads(read, [event('event.spread', later)])).toBe(later);
    expect(withSpreads(read, [event('event.spread', earlier)])).toBe(read);
    expect(withSpreads(read, [event('event.spread', later), event('event.spread', earlier)])).toBe(later);
  });
});

describe('an arbitrage', () => {
  it('replaces that of its event and kind, and the largest net edge stays first', () => {
    const other = edge(1, 0.03, 'cross_provider', 'evt_2');
    const read = { records: [{ ...edge(1, 0.05), canonicalName: 'Name' }, other], fetchedAt: at(2) };
    const { records } = withEdges(read, [event('event.arbitrage', edge(3, 0.01))]);
    expect(records.map(({ universalId, netEdge, canonicalName }) => [universalId, netEdge, canonicalName])).toEqual([
      ['evt_2', 0.03, undefined],
      ['evt_1', 0.01, 'Name'],
    ]);
    expect(withEdges(read, [event('event.arbitrage', edge(2, 0.01))])).toBe(read);
  });

  it('is added to the list of its own event only', () => {
    const read = { records: [edge(1, 0.05)], fetchedAt: at(2) };
    const added = event('event.arbitrage', edge(3, 0.01, 'negation_pair'));
    expect(withEdges({ ...read, universalId: 'evt_1' }, [added]).records).toHaveLength(2);
    expect(withEdges(read, [added]).records).toHaveLength(1);
  });

  it('has a key for each kind', () => {
    const keys = (['cross_provider', 'negation_pair'] as const).map((kind) =>
      eventKey(event('event.arbitrage', edge(1, 0.1, kind))),
    );
    expect(new Set(keys).size).toBe(2);
  });
});

describe('the trades of an event', () => {
  const trade = (id: string, second: number, status = 'pending') => ({ id, ts: at(second), status }) as Trade;
  const received = (payload: Trade, second: number): StreamEvent => ({
    ...event('trade.observed', payload),
    channel: tradeChannel('evt_1'),
    data: { type: 'trade.observed', provider: null, marketId: null, payload, receivedAt: Date.parse(at(second)) },
  });
  const list = { trades: [trade('b', 5), trade('a', 4)], fetchedAt: at(10) };
  const idsWith = (...events: StreamEvent[]) =>
    withTrades(list, events).trades.map(({ id, status }) => `${id} ${status}`);

  it('have later ones at their place by the time of the venue, and the newest status of each', () => {
    expect(idsWith(received(trade('c', 6), 11), received(trade('d', 3), 11))).toEqual([
      'c pending',
      'b pending',
      'a pending',
      'd pending',
    ]);
    expect(idsWith(received(trade('a', 4, 'confirmed'), 11))).toEqual(['b pending', 'a confirmed']);
  });

  it('lose those that are reverted, and are not changed by what is as old as they are', () => {
    expect(idsWith(received(trade('b', 5, 'reverted'), 11))).toEqual(['a pending']);
    expect(withTrades(list, [received(trade('b', 5, 'reverted'), 10)])).toBe(list);
  });

  it('are as many as are shown', () => {
    const many = Array.from({ length: 50 }, (_, index) => received(trade(`t${index}`, 6), 11));
    expect(idsWith(...many)).toHaveLength(TRADES_SHOWN);
    expect(idsWith(...many)[0]).toBe('t49 pending');
  });
});

describe('a row of the board', () => {
  const CROSS = { kind: 'cross_provider', netEdge: 0.05, grossEdge: 0.1, size: 100, quoteAgeMs: 5 };
  const NEGATION = { ...CROSS, kind: 'negation_pair', netEdge: 0.03 };
  const row = {
    universalId: 'evt_1',
    legs: [{ provider: 'a', marketId: 'm', yesBid: 0.5, yesAsk: 0.5, yesMid: 0.5, state: 'live', since: at(0) }],
    spread: null,
    edge: CROSS,
    edges: [CROSS, NEGATION],
    noEdge: null,
    volume24h: 7,
  } as unknown as BoardRow;
  const board = { rows: [row], fetchedAt: at(10) };

  it('has the prices of a later spread, and the rest as it was read', () => {
    const later = event('event.spread', spread(11, leg('a', 0.6), leg('b', 0.2, 'live')));
    const [changed] = withBoardEvents(board, [later]).rows;
    expect(changed).toMatchObject({ spread: 0.25, volume24h: 7, edge: row.edge });
    expect(changed!.legs.map(({ yesMid, since }) => [yesMid, since])).toEqual([
      [0.6, at(0)],
      [0.2, null],
    ]);
    expect(withBoardEvents(board, [event('event.spread', spread(10, leg('a', 0.6)))])).toBe(board);
  });

  it('has the best of both kinds of arbitrage, also when that of the shown kind falls', () => {
    const rowAfter = (...next: Edge[]) =>
      withBoardEvents(
        board,
        next.map((one) => event('event.arbitrage', one)),
      ).rows[0]!;
    expect(rowAfter(edge(11, 0.04)).edge!.netEdge).toBe(0.04);
    expect(rowAfter(edge(11, 0.01))).toMatchObject({ edge: NEGATION, edges: [NEGATION, { ...CROSS, netEdge: 0.01 }] });
    expect(rowAfter(edge(11, 0.09, 'negation_pair')).edge).toEqual({ ...NEGATION, netEdge: 0.09 });
    expect(rowAfter(edge(11, 0.01), edge(11, 0.005, 'negation_pair')).edge).toEqual({ ...CROSS, netEdge: 0.01 });
    expect(rowAfter(edge(10, 0.09))).toBe(row);
  });

  it('stays the same object while its events are the same', () => {
    const [first, second] = [edge(11, 0.01), edge(12, 0.02)].map((one) => event('event.arbitrage', one));
    const [changed] = withBoardEvents(board, [first!]).rows;
    expect(withBoardEvents(board, [first!]).rows[0]).toBe(changed);
    expect(withBoardEvents(board, [second!]).rows[0]!.edge!.netEdge).toBe(0.03);
    expect(withBoardEvents(board, [first!]).rows[0]).toEqual(changed);
  });

  it('has its first arbitrage, and no reason any more why there is none', () => {
    const without = { rows: [{ ...row, edge: null, edges: [], noEdge: 'thin_book' }], fetchedAt: at(10) };
    const [changed] = withBoardEvents(without, [event('event.arbitrage', edge(11, 0.01))]).rows;
    expect(changed).toMatchObject({ edge: { netEdge: 0.01 }, noEdge: null });
  });

  it('has the number of the newest event of its channels', () => {
    const [first, second] = [event('event.spread', spread(1), 4), event('event.arbitrage', edge(1, 0.1), 9)];
    const events = newestByChannel([first, event('event.arbitrage', edge(1, 0.1), 0), second]);
    expect(newestSeq(events, spreadChannel('evt_1'))).toBe(4);
    expect(newestSeq(events, spreadChannel('evt_1'), edgeChannel('evt_1'))).toBe(9);
    expect(newestSeq(events, spreadChannel('evt_2'))).toBeNull();
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Arbitrage,
  arbitrageHeadTopic,
  eventTopic,
  type Spread,
  type SpreadLeg,
  spreadHeadTopic,
  type UniversalEvent,
} from '#schemas/topics/derived';
import { statusTopics } from '#schemas/topics/normalised';
import { aLink, anArbitrage, anEvent, applyRecord, aSpread, NOON_MS } from '../../../testing/records.fixture.ts';
import { createTestApp, type TestApp } from '../../../testing/test-app.fixture.ts';
import { VIEWS } from '../../../views/views.ts';
import { getBoard } from './get-board.ts';

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp();
});
afterEach(() => test.app.close());

const OUTCOME = { provider: 'venue_a_outcome', providerMarketId: '#10', yesInstrument: '#10', noInstrument: '#11' };
const LEGS = [legOf('venue_a_outcome', '#10', '0.4'), legOf('venue_b', '0xmarket', '0.42')];

function legOf(provider: string, marketId: string, yesMid: string, fields: Partial<SpreadLeg> = {}): SpreadLeg {
  return { ...aSpread().legs[0]!, provider, marketId, yesMid, ...fields };
}
function addEvent(universalId: string, fields: Partial<UniversalEvent> = {}): void {
  const event = anEvent({ universalId, links: [aLink(OUTCOME), aLink()], ...fields });
  applyRecord(VIEWS.events, test.views.events, eventTopic, universalId, event);
}
function addSpread(universalId: string, fields: Partial<Spread> = {}): void {
  const spread = aSpread({ universalId, legs: LEGS, ...fields });
  applyRecord(VIEWS.events, test.views.events, spreadHeadTopic, universalId, spread);
}
function addEdge(universalId: string, netEdge: string, fields: Partial<Arbitrage> = {}): void {
  const record = anArbitrage({ universalId, netEdge, ...fields });
  applyRecord(VIEWS.events, test.views.events, arbitrageHeadTopic, `${universalId}:${record.kind}`, record);
}
function lagBehind(now: number, asOf: number): void {
  Object.assign(test.views, {
    freshness: { ...test.views.freshness, now: () => now, isLive: () => true, asOf: () => asOf },
  });
}
/** Answers the query of the totals of trades. */
function setTrades(rows: readonly { instrument: string; volume: string; trades: number }[]): void {
  test.setQuery(() =>
    rows.map((row, nth) => ({
      query: 0,
      nth,
      row: JSON.stringify({ provider: 'venue_b', lastTradeAt: NOON_MS, ...row }),
    })),
  );
}

interface Board {
  readonly rows: { readonly universalId: string; readonly noEdge: string | null; readonly edge: { netEdge: number } }[];
  readonly pagination: { readonly nextCursor: string | null; readonly hasMore: boolean };
  readonly fetchedAt: string;
}
async function read(query = ''): Promise<Board> {
  const response = await test.get(`/v1/events/board${query}`);
  expect(response.status, response.body).toBe(200);
  return getBoard.response.parse(response.json()) as Board;
}
const ids = async (query = '') => (await read(query)).rows.map(({ universalId }) => universalId);

describe('GET /v1/events/board', () => {
  it('returns everything about an event in its row', async () => {
    addEvent('evt_1');
    addSpread('evt_1', { receivedAt: NOON_MS + 2_000 });
    addEdge('evt_1', '0.01');
    addEdge('evt_1', '0.03', { kind: 'negation_pair', grossEdge: '0.05', receivedAt: NOON_MS + 1_000 });
    setTrades([{ instrument: '111', volume: '12.5', trades: 3 }]);
    applyRecord(VIEWS.events, test.views.events, statusTopics.venue_b, '111', {
      provider: 'venue_b',
      marketId: '0xmarket',
      instrument: '111',
      feed: 'books/0',
      state: 'live',
      receivedAt: NOON_MS,
      since: NOON_MS - 5_000,
    });
    const { rows, ...rest } = await read();
    const common = { yesBid: 0.41, yesAsk: 0.43, state: 'live' };
    expect(rows).toEqual([
      {
        universalId: 'evt_1',
        canonicalName: 'BTC at or above 100000 on 2026-03-31',
        kind: 'price_binary',
        status: 'open',
        resolutionDate: '2026-03-31T00:00:00.000Z',
        legs: [
          { provider: 'venue_a_outcome', marketId: '#10', ...common, yesMid: 0.4, since: null },
          { provider: 'venue_b', marketId: '0xmarket', ...common, yesMid: 0.42, since: '2026-03-01T11:59:55.000Z' },
        ],
        spread: 0.02,
        edge: { kind: 'negation_pair', netEdge: 0.03, grossEdge: 0.05, size: 100, quoteAgeMs: 1_200 },
        edges: [
          { kind: 'negation_pair', netEdge: 0.03, grossEdge: 0.05, size: 100, quoteAgeMs: 1_200 },
          { kind: 'cross_provider', netEdge: 0.01, grossEdge: 0.02, size: 100, quoteAgeMs: 1_200 },
        ],
        noEdge: null,
        volume24h: 12.5,
        trades24h: 3,
        lastTradeAt: '2026-03-01T12:00:00.000Z',
        anomalies24h: 0,
        disputed: false,
      },
    ]);
    expect(rest).toEqual({
      pagination: { nextCursor: null, hasMore: false },
      fetchedAt: '2026-03-01T12:00:02.000Z',
    });
  });

  it('states why an event has no arbitrage, and has no figures that it does not know', async () => {
    addEvent('evt_1', { links: [aLink()], resolutionTime: null, kind: null });
    const { rows } = await read();
    expect(rows).toMatchObject([
      {
        legs: [],
        spread: null,
        edge: null,
        edges: [],
        noEdge: 'one_provider',
        volume24h: 0,
        trades24h: 0,
        lastTradeAt: null,
      },
    ]);
  });

  it('sorts by each figure in both orders, with unknown figures last', async () => {
    for (const [at, id] of ['evt_a', 'evt_b', 'evt_c', 'evt_d'].entries())
      addEvent(id, {
        canonicalName: ['delta', 'Alpha', 'charlie', 'Bravo'][at]!,
        links: [aLink({ ...OUTCOME, providerMarketId: id }), aLink({ providerMarketId: id, yesInstrument: id })],
      });
    const mids = { evt_a: '0.5', evt_b: '0.43', evt_c: '0.9' };
    for (const [at, [id, mid]] of Object.entries(mids).entries()) {
      const legs = [legOf('venue_a_outcome', id, '0.4'), legOf('venue_b', id, mid)];
      addSpread(id, { legs, receivedAt: NOON_MS + [30, 10, 20][at]! });
    }
    addEdge('evt_a', '-0.2');
    addEdge('evt_b', '0.000000000000000002');
    addEdge('evt_c', '0.000000000000000001');
    setTrades([
      { instrument: 'evt_b', volume: '1', trades: 9 },
      { instrument: 'evt_d', volume: '1.5', trades: 1 },
    ]);
    const [a, b, c, d] = ['evt_a', 'evt_b', 'evt_c', 'evt_d'];
    expect(await ids()).toEqual([b, c, a, d]);
    expect(await ids('?sort=edge&order=asc')).toEqual([a, c, b, d]);
    expect(await ids('?sort=spread')).toEqual([c, a, b, d]);
    expect(await ids('?sort=spread&order=asc')).toEqual([b, a, c, d]);
    expect(await ids('?sort=volume')).toEqual([d, b, a, c]);
    expect(await ids('?sort=updated')).toEqual([a, c, b, d]);
    expect(await ids('?sort=name')).toEqual([b, d, c, a]);
    expect(await ids('?sort=name&order=desc')).toEqual([a, c, d, b]);
  });

  it('filters by words, provider, status and net edge, and lists open events by default', async () => {
    addEvent('evt_a', { canonicalName: 'BTC above 100000' });
    addEvent('evt_b', { canonicalName: 'ETH above 100000', links: [aLink({ providerMarketId: 'b' })] });
    addEvent('evt_c', { canonicalName: 'BTC above 2', status: 'closed' });
    addEdge('evt_a', '0.1');
    addEdge('evt_b', '0.2');
    expect(await ids()).toEqual(['evt_b', 'evt_a']);
    expect(await ids('?q=100000%20%20btc')).toEqual(['evt_a']);
    expect(await ids('?provider=venue_a')).toEqual(['evt_a']);
    expect(await ids('?provider=venue_b')).toEqual(['evt_b', 'evt_a']);
    expect(await ids('?status=closed')).toEqual(['evt_c']);
    expect(await ids('?min_edge=0.100000000000000001')).toEqual(['evt_b']);
    expect(await ids('?min_edge=0.1')).toEqual(['evt_b', 'evt_a']);
  });

  it.each(['edge', 'spread', 'volume', 'updated', 'name'])('pages by %s, each event once', async (sort) => {
    const all = Array.from({ length: 11 }, (_, at) => `evt_${String(at).padStart(2, '0')}`);
    for (const [at, id] of all.entries()) {
      addEvent(id, { canonicalName: `Name ${'é'.repeat(200)} ${at % 3}` });
      if (at % 4 === 0) continue;
      addSpread(id, { receivedAt: NOON_MS + (at % 3) });
      addEdge(id, `0.0${at % 3}`);
    }
    for (const order of ['asc', 'desc']) {
      const whole = await ids(`?sort=${sort}&order=${order}`);
      expect([...whole].sort()).toEqual(all);
      const paged: string[] = [];
      for (let cursor = ''; ; ) {
        const { rows, pagination } = await read(`?sort=${sort}&order=${order}&limit=2${cursor}`);
        paged.push(...rows.map(({ universalId }) => universalId));
        if (!pagination.hasMore) break;
        cursor = `&cursor=${pagination.nextCursor}`;
      }
      expect(paged).toEqual(whole);
    }
  });

  it('continues at the figure where a page ended, whatever became of that event', async () => {
    for (const at of [1, 2, 3, 4]) {
      addEvent(`evt_${at}`);
      addEdge(`evt_${at}`, `0.${at}`);
    }
    const { rows, pagination } = await read('?limit=2');
    expect(rows.map(({ universalId }) => universalId)).toEqual(['evt_4', 'evt_3']);
    addEdge('evt_3', '0.01');
    applyRecord(VIEWS.events, test.views.events, eventTopic, 'evt_4', null);
    expect(await ids(`?cursor=${pagination.nextCursor}`)).toEqual(['evt_2', 'evt_1', 'evt_3']);
    applyRecord(VIEWS.events, test.views.events, eventTopic, 'evt_3', null);
    expect(await ids(`?cursor=${pagination.nextCursor}`)).toEqual(['evt_2', 'evt_1']);
  });

  it('shows no live prices and no arbitrage while the figures lag, and states their time', async () => {
    addEvent('evt_1');
    addSpread('evt_1');
    addEdge('evt_1', '0.1');
    lagBehind(NOON_MS + 60_000, NOON_MS + 2_000);
    const { rows, fetchedAt } = await read();
    expect(rows).toMatchObject([
      { legs: [{ state: 'stale', since: null }, { state: 'stale' }], spread: null, edge: null, noEdge: 'stale_leg' },
    ]);
    expect(fetchedAt).toBe('2026-03-01T12:00:02.000Z');
    expect(await ids('?min_edge=0')).toEqual([]);
  });

  it.each([
    ['sort=x', 'sort'],
    ['order=x', 'order'],
    ['q=', 'q'],
    ['q=%20', 'q'],
    [`q=${'x'.repeat(101)}`, 'q'],
    ['provider=venue_a_perp', 'provider'],
    ['status=gone', 'status'],
    ['min_edge=1e3', 'min_edge'],
    ['limit=x', 'limit'],
    ['cursor=abc', 'cursor'],
    ['edge=1', 'edge'],
    // Cursors of another sort, of another order, and of a figure that is no number.
    [`cursor=${Buffer.from('name desc evt_1 x').toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from('edge asc evt_1 1').toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from('edge desc evt_1 x').toString('base64url')}`, 'cursor'],
  ])('refuses ?%s and names the field', async (query, field) => {
    const response = await test.get(`/v1/events/board?${query}`);
    expect(response.status).toBe(400);
    expect(response.body).toContain(`${field}`);
  });
});

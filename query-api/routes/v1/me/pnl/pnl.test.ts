import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '#infra/store/store';
import { bookEventsTable } from '#schemas/tables/book-events';
import { ledgerChecksTable } from '#schemas/tables/ledger-checks';
import { tradesTable } from '#schemas/tables/trades';
import { type LedgerEventRow, ledgerTopic } from '#schemas/topics/ledgers';
import { bookTopics, contextTopics, statusTopics } from '#schemas/topics/normalised';
import {
  anAccountFill,
  beginCoinLedger,
  COIN_ACCOUNT,
  insertAccountFills,
} from '../../../../testing/account-fills.fixture.ts';
import { insertRows } from '../../../../testing/insert-rows.fixture.ts';
import { ADDRESS, aLedgerRow, BEGAN, openChange } from '../../../../testing/ledger-rows.fixture.ts';
import { aResolution, insertResolutions } from '../../../../testing/oracle.fixture.ts';
import { BUILDER, bindWallet, idOf, openPnlService, type PnlService } from '../../../../testing/pnl-service.fixture.ts';
import { aBookUpdate, applyRecord, aTrade, NOON_MS } from '../../../../testing/records.fixture.ts';
import type { TestService } from '../../../../testing/test-service.fixture.ts';
import { VIEWS } from '../../../../views/views.ts';
import { getPnl } from '../get-pnl.ts';
import { getPnlCurve } from './get-curve.ts';
import { getPnlExplain } from './get-explain.ts';

let opened: PnlService;
let store: Store;
let service: TestService;
let walletId: string;
beforeAll(async () => {
  opened = await openPnlService();
  ({ store, service, walletId } = opened);
});
afterAll(() => opened.close());

const bind = (address: string, token = service.admin) => bindWallet(service, address, token);
const explain = (query: Record<string, string>, token = service.admin) =>
  service.request('GET', `/v1/me/pnl/explain?${new URLSearchParams({ walletId, tokenId: '111', ...query })}`, {
    token,
  });
const read = async (query: Record<string, string> = {}) => {
  const { status, body } = await explain(query);
  expect(status, JSON.stringify(body)).toBe(200);
  getPnlExplain.response.parse(body);
  return body;
};

describe('a book', () => {
  it('is its figures, its open lots and the events that they follow from', async () => {
    const { book, lots, events, pagination } = await read();
    expect(book).toEqual({
      walletId,
      provider: 'venue_b',
      marketId: '0xm',
      tokenId: '111',
      outcome: 'Yes',
      builder: null,
      openPosition: 1,
      avgCost: 0.5,
      realized: 1.9,
      coverage: 'partial',
    });
    expect(lots).toEqual([{ openedBy: idOf(2), openedAt: '2026-03-01T12:00:02.000Z', qty: 1, price: 0.5 }]);
    expect(events).toHaveLength(3);
    expect(events[1]).toMatchObject({
      id: idOf(2),
      kind: 'fill',
      qty: 2,
      price: 0.5,
      realized: 0,
      fee: null,
      closes: [],
    });
    expect(events[2]).toEqual({
      id: idOf(3),
      kind: 'fill',
      ts: '2026-03-01T12:00:03.000Z',
      receivedAt: '2026-03-01T12:00:03.500Z',
      qty: -4,
      price: 0.9,
      realized: 1.9,
      fee: 0.01,
      closes: [
        { openedBy: idOf(1), qty: 3 },
        { openedBy: idOf(2), qty: 1 },
      ],
    });
    expect(pagination).toEqual({ nextCursor: null, hasMore: false });
  });

  it('of a builder is another one, with negative lots where it sold first', async () => {
    const { book, lots } = await read({ builder: BUILDER.toUpperCase().replace('0X', '0x') });
    expect(book).toMatchObject({ builder: BUILDER, openPosition: -1, avgCost: 0.4, realized: 0 });
    expect(lots).toMatchObject([{ openedBy: idOf(4), qty: -1, price: 0.4 }]);
  });

  it('of the other token has the name of that outcome, also when the market is stated', async () => {
    expect((await read({ tokenId: '222', marketId: '0xm' })).book).toMatchObject({ outcome: 'No', openPosition: 3 });
  });

  it('is complete once the venue states the same position for its ledger', async () => {
    const check = { account: `venue_b:${ADDRESS}`, ledger: BEGAN, receivedAt: NOON_MS };
    const coverageOf = async (tokenId: string) => (await read({ tokenId })).book.coverage;
    await insertRows(store, ledgerChecksTable, [
      { ...check, instrument: '222', isEqual: true },
      { ...check, instrument: '333', ledger: BEGAN - 1, isEqual: true },
    ]);
    expect([await coverageOf('111'), await coverageOf('222'), await coverageOf('333')]).toEqual([
      'partial',
      'complete',
      'partial',
    ]);
    await insertRows(store, ledgerChecksTable, [{ ...check, instrument: '222', isEqual: false }], 9);
    expect(await coverageOf('222')).toBe('partial');
  });

  it('without lots has no average, and null is realized where nothing is known', async () => {
    const { book, lots } = await read({ tokenId: '333' });
    expect(book).toMatchObject({ marketId: null, outcome: null, openPosition: 0, avgCost: null, realized: null });
    expect(lots).toEqual([]);
  });

  it('is read in pages of events, each with the whole book', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof read>> = await read({ limit: '2', ...(cursor ? { cursor } : {}) });
      expect(page.book.realized).toBe(1.9);
      seen.push(...page.events.map(({ id }: { id: string }) => id));
      cursor = page.pagination.nextCursor;
    } while (cursor);
    expect(seen).toEqual([1, 2, 3].map(idOf));
  });
});

describe('a request', () => {
  it('for what is no book, a foreign wallet or an unknown one is answered with 404', async () => {
    const stranger = (await service.organization('Stranger')).token;
    const unbooked = await bind(`0x${'2b'.repeat(20)}`);
    const missing = [
      await explain({ tokenId: '444' }),
      await explain({ marketId: '0xother' }),
      await explain({ builder: `0x${'0c'.repeat(32)}` }),
      await explain({ walletId: unbooked }),
      await explain({ walletId: 'wal_none' }),
      await explain({}, stranger),
    ];
    expect(missing.map(({ status, body }) => [status, body.error.code])).toEqual(missing.map(() => [404, 'not_found']));
    expect(missing[5]!.body.error.message).toBe(missing[4]!.body.error.message);
  });

  it('with a cursor of another book is refused', async () => {
    const { nextCursor } = (await read({ limit: '1' })).pagination;
    const { status, body } = await explain({ tokenId: '222', cursor: nextCursor });
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^cursor: /)]);
  });

  it.each([
    ['walletId', `tokenId=111`],
    ['tokenId', `walletId=OWN`],
    ['builder', `walletId=OWN&tokenId=111&builder=0x1`],
    ['builder', `walletId=OWN&tokenId=111&builder=0x${'0'.repeat(64)}`],
    ['limit', `walletId=OWN&tokenId=111&limit=x`],
  ])('that lacks or misstates %s is answered with 400 naming it: %s', async (field, query) => {
    const { status, body } = await service.request('GET', `/v1/me/pnl/explain?${query.replace('OWN', walletId)}`);
    expect([status, body.error.code]).toEqual([400, 'validation_failed']);
    expect(body.error.message).toMatch(new RegExp(`^${field}: `));
  });
});

describe('the curve', () => {
  const DAY_MS = 86_400_000;
  const curve = async (query = '', token = service.admin) => {
    const { status, body } = await service.request('GET', `/v1/me/pnl/curve?walletId=${walletId}${query}`, { token });
    expect(status, JSON.stringify(body)).toBe(200);
    getPnlCurve.response.parse(body);
    return body;
  };
  const book = (instrument: string, bid: string | null, ask: string) => {
    const level = (price: string) => [{ price, size: '1' }];
    const bids = bid === null ? [] : level(bid);
    const update = aBookUpdate(0, { provider: 'venue_b', instrument, bids, asks: level(ask) });
    applyRecord(VIEWS.questionBooks, service.views.questionBooks, bookTopics.venue_b, instrument, update);
  };
  const status = (instrument: string, state: 'live' | 'stale') => {
    const value = {
      provider: 'venue_b',
      instrument,
      marketId: '0xm',
      feed: 'f',
      state,
      receivedAt: NOON_MS,
      since: NOON_MS,
    };
    applyRecord(VIEWS.events, service.views.events, statusTopics.venue_b, instrument, value);
  };
  beforeAll(() => {
    service.views.events.now = NOON_MS + 60_000;
  });

  it('has a point for each moment at which lots were closed, between the bounds of the window', async () => {
    const { curve: points, window, total } = await curve();
    expect(points).toEqual([
      { ts: '2026-02-22T12:01:00.000Z', cumulativeRealized: 0 },
      { ts: '2026-03-01T12:00:03.000Z', cumulativeRealized: 1.9 },
      { ts: '2026-03-01T12:01:00.000Z', cumulativeRealized: 1.9 },
    ]);
    expect(window).toEqual({ from: points[0].ts, to: points[2].ts, days: 7 });
    // Five fills of a notional of 1.2; the fee of one is unknown.
    expect(total).toMatchObject({ realized: 1.9, totalNotional: 6, fees: null, coverage: 'partial' });
  });

  it('counts days within 1 to 30, and nothing from before the window', async () => {
    expect((await curve('&days=99')).window.days).toBe(30);
    service.views.events.now = NOON_MS + 2 * DAY_MS;
    expect((await curve('&days=1')).total).toMatchObject({ realized: 0, totalNotional: 0, fees: 0 });
    service.views.events.now = NOON_MS + 60_000;
  });

  it('values open lots at the mid of a live book with both sides, else at the last trade, else not at all', async () => {
    // Open: 1 of 111 at 0.5, -1 of 111 at 0.4 of a builder, 3 of 222 at 0.4.
    expect((await curve()).total).toMatchObject({ unrealized: null, unpriced: 3 });
    await insertRows(store, tradesTable, [
      aTrade({ id: 'a', instrument: '222', price: '0.7', ts: NOON_MS }),
      aTrade({ id: 'b', instrument: '222', price: '0.9', ts: NOON_MS + 1, status: 'reverted' }),
    ]);
    expect((await curve()).total).toMatchObject({ unrealized: 0.9, unpriced: 2 });
    book('222', '0.5', '0.6');
    status('222', 'stale');
    expect((await curve()).total.unrealized).toBe(0.9);
    status('222', 'live');
    expect((await curve()).total.unrealized).toBe(0.45);
    book('111', null, '0.9');
    status('111', 'live');
    expect((await curve()).total).toMatchObject({ unrealized: 0.45, unpriced: 2 });
    book('111', '0.7', '0.9');
    // (0.8 - 0.5) - (0.8 - 0.4) + 0.45
    expect((await curve()).total).toMatchObject({ unrealized: 0.35, unpriced: 0 });
  });

  it('values lots that are open after the settlement of their market at its payout, whatever is traded', async () => {
    const settled = aResolution({ marketId: '0xm', payouts: ['1', '0'] });
    await insertResolutions(store, [settled]);
    // (1 - 0.5) - (1 - 0.4) - 3 * 0.4
    expect((await curve()).total).toMatchObject({ unrealized: -1.3, unpriced: 0 });
    await insertResolutions(store, [{ ...settled, status: 'reverted' }], 10);
    expect((await curve()).total).toMatchObject({ unrealized: 0.35, unpriced: 0 });
  });

  it('of a wallet without a ledger is unknown, and of an organization without wallets zero', async () => {
    const other = (await service.organization('Other')).token;
    const nothing = { realized: 0, unrealized: 0, totalNotional: 0, unpriced: 0, fees: 0, coverage: 'complete' };
    const empty = await service.request('GET', '/v1/me/pnl/curve', { token: other });
    expect(empty.body.total).toEqual(nothing);
    await bind(`0x${'4d'.repeat(20)}`, other);
    const { total, curve: points } = (await service.request('GET', '/v1/me/pnl/curve', { token: other })).body;
    const unknown = { realized: null, unrealized: null, totalNotional: null, fees: null };
    expect(total).toEqual({ ...nothing, ...unknown, coverage: 'partial' });
    expect(points).toEqual([]);
  });

  it.each([
    ['days', 'days=x'],
    ['walletAddress', 'walletAddress=0x'],
    ['provider', 'provider=x'],
    ['sort', 'sort=realized'],
    ['groupBy', 'groupBy=event'],
    ['cursor', 'cursor=a'],
  ])('is refused with 400 naming %s: %s', async (field, query) => {
    const { status: code, body } = await service.request('GET', `/v1/me/pnl/curve?${query}`);
    expect([code, body.error.code]).toEqual([400, 'validation_failed']);
    expect(body.error.message).toMatch(new RegExp(`^${field}[.:]`));
  });
});

describe('rows', () => {
  const rows = async (query = '') => {
    const { status, body } = await service.request('GET', `/v1/me/pnl?walletId=${walletId}${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    getPnl.response.parse(body);
    return body;
  };
  const total = { realized: 1.9, totalNotional: 6, unpriced: 0, fees: null, coverage: 'partial' };

  it('by event are sorted by what was realized, with the total, the alias and what was applied', async () => {
    const { data, total: sum, applied, byEvent, pagination } = await rows();
    expect(sum).toMatchObject(total);
    expect(byEvent).toEqual(data);
    expect(data).toHaveLength(2);
    // 111 and 222 are YES and NO of one market: 1 - 1 of a builder, and 3 the other way round.
    expect(data[0]).toMatchObject({
      universalId: null,
      canonicalName: null,
      realized: 1.9,
      openPosition: -3,
      tradeCount: 5,
    });
    expect(data[0].legs).toMatchObject([
      { marketId: '0xm', tokenId: '111', outcome: 'Yes', openPosition: 0, avgCost: null, tradeCount: 4 },
      { marketId: '0xm', tokenId: '222', outcome: 'No', openPosition: 3, avgCost: 0.4, tradeCount: 1 },
    ]);
    expect(data[1]).toMatchObject({ realized: null, openPosition: 0, tradeCount: 0, fees: 0 });
    expect(pagination).toEqual({ nextCursor: null, hasMore: false });
    expect(applied).toEqual({
      walletIds: [walletId],
      provider: null,
      groupBy: 'event',
      sort: '-realized',
      platform: 'all',
      since: null,
      until: null,
    });
  });

  it('by wallet and by provider are sums of the same books', async () => {
    const sums = { realized: 1.9, totalNotional: 6, tradeCount: 5, fees: null };
    const byWallet = await rows('&groupBy=wallet');
    expect(byWallet.byWallet).toMatchObject([{ walletId, provider: 'venue_b', address: ADDRESS, label: '', ...sums }]);
    const byProvider = await rows('&groupBy=provider');
    expect(byProvider.data).toMatchObject([{ provider: 'venue_b', walletCount: 1, ...sums }]);
    expect(byProvider.total).toEqual(byWallet.total);
  });

  it('are partial by wallet and provider, with the total, where the venue states what the ledger has no event of', async () => {
    const { token } = await service.organization('Held before');
    const address = `0x${'6e'.repeat(20)}`;
    const account = `venue_b:${address}`;
    await bind(address, token);
    applyRecord(VIEWS.ledgers, service.views.ledgers, ledgerTopic, account, { account, ledger: BEGAN });
    const coverages = async () => {
      const bodies = [];
      for (const path of ['?groupBy=wallet', '?groupBy=provider', '?groupBy=event', '/curve'])
        bodies.push((await service.request('GET', `/v1/me/pnl${path}`, { token })).body);
      return bodies.flatMap(({ data = [], total: sum }) => [...data, sum].map(({ coverage }) => coverage));
    };
    const check = { account, instrument: '777', receivedAt: NOON_MS };
    await insertRows(store, ledgerChecksTable, [{ ...check, ledger: BEGAN - 1, isEqual: false }]);
    expect(new Set(await coverages())).toEqual(new Set(['complete']));
    await insertRows(store, ledgerChecksTable, [{ ...check, ledger: BEGAN, isEqual: false }]);
    expect(await coverages()).toEqual(Array(6).fill('partial'));
    await insertRows(store, ledgerChecksTable, [{ ...check, ledger: BEGAN, isEqual: true }], 9);
    expect(new Set(await coverages())).toEqual(new Set(['complete']));
  });

  it('by builder leave out what has none; mine are those of registered builders', async () => {
    const row = { provider: 'venue_b', builder: BUILDER, label: null, walletCount: 1, tradeCount: 1 };
    const byBuilder = await rows('&groupBy=builder');
    expect(byBuilder.data).toMatchObject([row]);
    expect(byBuilder.total).toMatchObject({ totalNotional: 1.2, realized: 0 });
    const missing = await service.request('GET', '/v1/me/pnl?platform=mine');
    expect([missing.status, missing.body.error.code]).toEqual([400, 'no_platform_attribution']);
    const body = { provider: 'venue_b', builder: BUILDER, label: 'Front end' };
    await service.request('POST', '/v1/me/platform-attributions', { body });
    const mine = await rows('&groupBy=builder&platform=mine');
    expect(mine.data).toMatchObject([{ ...row, label: 'Front end' }]);
    expect(mine.total).toMatchObject({ totalNotional: 1.2, realized: 0 });
  });

  it('count events from since until before until, by when they reached the ledger', async () => {
    const { total: sum } = await rows('&since=2026-03-01T12:00:01.500Z&until=2026-03-01T12:00:03.500Z');
    expect(sum).toMatchObject({ realized: 0, totalNotional: 2.4, fees: null });
  });

  it('are read in pages that show the state of the first one', async () => {
    const first = await rows('&limit=1&sort=tradeCount');
    expect(first.pagination.hasMore).toBe(true);
    const later = aLedgerRow(9, { instrument: '333', opened: '3', receivedAt: NOON_MS + 3_600_000 });
    await insertRows(store, bookEventsTable, [later], 50);
    const cursor = first.pagination.nextCursor;
    const second = await rows(`&limit=1&sort=tradeCount&cursor=${cursor}`);
    expect([...first.data, ...second.data].map(({ tradeCount }) => tradeCount)).toEqual([0, 5]);
    expect(second.total).toEqual(first.total);
    expect((await rows()).total.totalNotional).toBe(7.2);
    for (const query of ['&limit=1', `&sort=realized`]) {
      const { status, body } = await service.request('GET', `/v1/me/pnl?walletId=${walletId}${query}&cursor=${cursor}`);
      expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^cursor: /)]);
    }
  });

  it('keep the state of the first page when an earlier event changes or a wallet is bound', async () => {
    const pages = '/v1/me/pnl?groupBy=wallet&sort=realized&limit=1';
    const token = (await service.organization('Pages')).token;
    const ids = [await bind(ADDRESS, token), await bind(`0x${'5e'.repeat(20)}`, token)];
    const read = async (query: string) => (await service.request('GET', `${pages}${query}`, { token })).body;
    const first = await read('');
    await insertRows(store, bookEventsTable, [aLedgerRow(3, { state: 'removed' })], 60);
    await bind(`0x${'5f'.repeat(20)}`, token);
    const second = await read(`&cursor=${first.pagination.nextCursor}`);
    expect([...first.data, ...second.data].map((row: { walletId: string }) => row.walletId)).toEqual(ids);
    expect([second.total, second.applied.walletIds.length]).toEqual([first.total, 2]);
    expect(second.pagination.hasMore).toBe(false);
    expect((await read('')).total.realized).not.toBe(first.total.realized);
  });

  it.each([
    ['groupBy', 'groupBy=x'],
    ['platform', 'platform=x'],
    ['sort', 'sort=fees'],
    ['provider', 'groupBy=provider&provider=venue_b'],
    ['since', 'since=2026-03-02&until=2026-03-01'],
    ['limit', 'limit=x'],
  ])('are refused with 400 naming %s: %s', async (field, query) => {
    const { status: code, body } = await service.request('GET', `/v1/me/pnl?${query}`);
    expect([code, body.error.code]).toEqual([400, 'validation_failed']);
    expect(body.error.message).toMatch(new RegExp(`^${field}[.:]`));
  });
});

describe('an account of venue_a', () => {
  let token: string;
  let coinWallet: string;
  const pnl = async (query = '') => {
    const { status, body } = await service.request('GET', `/v1/me/pnl?${query}`, { token });
    expect(status, JSON.stringify(body)).toBe(200);
    getPnl.response.parse(body);
    return body;
  };
  const row = (nth: number, fields: Parameters<typeof aLedgerRow>[1]) =>
    aLedgerRow(nth, {
      account: COIN_ACCOUNT,
      id: `c${nth}`,
      index: 0,
      instrument: 'BTC',
      tradedInstrument: 'BTC',
      ...fields,
    });
  beforeAll(async () => {
    token = (await service.organization('Coins')).token;
    coinWallet = await bindWallet(service, ADDRESS, token, 'venue_a');
    await insertRows(store, bookEventsTable, [
      row(1, { ...openChange('2', '200'), price: '100', opened: '2', notional: '200' }),
      row(2, { instrument: 'x:GOLD', opened: '3', partial: true }),
      row(3, {
        ...openChange('-1', '-100'),
        price: '110',
        opened: '0',
        realized: '10',
        notional: '110',
        closes: [{ openedBy: 'c1', qty: '1' }],
      }),
    ]);
  });

  it('has no figures until the first response about its fills, and partial ones until its history is loaded', async () => {
    const unknown = { realized: null, totalNotional: null, tradeCount: null, fees: null, coverage: 'partial' };
    expect((await pnl('groupBy=wallet')).data).toMatchObject([unknown]);
    beginCoinLedger(service.views.ledgers, { knownAt: null, loadedAt: null });
    const { data, total } = await pnl('groupBy=wallet');
    expect(data).toMatchObject([unknown]);
    expect(total).toMatchObject({ realized: null, coverage: 'partial' });
    const book = `/v1/me/pnl/explain?walletId=${coinWallet}&marketId=BTC`;
    expect((await service.request('GET', book, { token })).status).toBe(404);
    expect((await service.request('GET', '/v1/me/pnl/curve', { token })).body.curve).toEqual([]);
    beginCoinLedger(service.views.ledgers, { loadedAt: null });
    const loading = await pnl('groupBy=wallet');
    expect(loading.data).toMatchObject([{ realized: 10, coverage: 'partial' }]);
    expect(loading.total).toMatchObject({ realized: 10, coverage: 'partial' });
    expect((await pnl()).data).toMatchObject([{ coverage: 'partial' }, { coverage: 'partial' }]);
    const explained = await service.request('GET', book, { token });
    expect(explained.body.book).toMatchObject({ realized: 10, coverage: 'partial' });
    const curve = await service.request('GET', '/v1/me/pnl/curve', { token });
    expect(curve.body.total).toMatchObject({ coverage: 'partial' });
    expect(curve.body.curve).not.toEqual([]);
  });

  it('has a row for each coin, at the mid that the venue states, partial where something is left out', async () => {
    beginCoinLedger(service.views.ledgers);
    const context = { provider: 'venue_a_perp', coin: 'BTC', receivedAt: NOON_MS, midPrice: '120' };
    applyRecord(VIEWS.coins, service.views.coins, contextTopics.venue_a, 'BTC', context as never);
    const { data } = await pnl();
    expect(data).toMatchObject([
      { universalId: null, canonicalName: 'BTC', realized: 10, unrealized: 20, openPosition: 1, coverage: 'complete' },
      { universalId: null, canonicalName: 'x:GOLD', realized: 0, unrealized: null, coverage: 'partial' },
    ]);
    expect(data[0].legs).toMatchObject([
      { provider: 'venue_a_perp', marketId: 'BTC', tokenId: null, outcome: null, avgCost: 100, currentPrice: 120 },
    ]);
    const byProvider = (await pnl('groupBy=provider')).data.map((one: { provider: string }) => one.provider);
    expect(byProvider.sort()).toEqual(['venue_a_dex', 'venue_a_perp']);
    expect((await pnl('provider=venue_a_dex')).data).toMatchObject([{ canonicalName: 'x:GOLD' }]);
    const curve = await service.request('GET', '/v1/me/pnl/curve?provider=venue_a_perp', { token });
    expect(curve.body.total).toMatchObject({ realized: 10, coverage: 'complete' });
  });

  it('is explained by its coin', async () => {
    const path = `/v1/me/pnl/explain?walletId=${coinWallet}`;
    const { body } = await service.request('GET', `${path}&marketId=BTC`, { token });
    getPnlExplain.response.parse(body);
    expect(body.book).toMatchObject({ provider: 'venue_a_perp', marketId: 'BTC', tokenId: null, coverage: 'complete' });
    expect(body.book).toMatchObject({ openPosition: 1, avgCost: 100, realized: 10 });
    expect(body.events.map(({ id }: { id: string }) => id)).toEqual(['c1', 'c3']);
    for (const query of ['&marketId=ETH', '&marketId=BTC&tokenId=ETH'])
      expect((await service.request('GET', `${path}${query}`, { token })).status).toBe(404);
    expect((await service.request('GET', path, { token })).body.error.message).toMatch(/^tokenId: /);
  });

  it('is partial by builder while a builder is unknown', async () => {
    // What is partial has no builder, so it is in no row.
    expect((await pnl('groupBy=builder')).total.coverage).toBe('complete');
    expect((await pnl('groupBy=builder&provider=venue_a_perp')).total.coverage).toBe('complete');
    await insertAccountFills(store, [anAccountFill(1, { builderFee: '0.02' })]);
    expect((await pnl('groupBy=builder&provider=venue_a_perp')).total.coverage).toBe('partial');
    expect((await pnl('groupBy=event&provider=venue_a_perp')).total.coverage).toBe('complete');
    const body = { provider: 'venue_b', builder: BUILDER, label: '' };
    await service.request('POST', '/v1/me/platform-attributions', { token, body });
    expect((await pnl('platform=mine&provider=venue_a_perp')).total.coverage).toBe('complete');
    // The rows of its wallet and provider have no books: none has a registered builder.
    const registered = { provider: 'venue_a', builder: `0x${'1'.repeat(40)}`, label: '' };
    await service.request('POST', '/v1/me/platform-attributions', { token, body: registered });
    for (const groupBy of ['provider', 'wallet']) {
      const { data, total } = await pnl(`platform=mine&groupBy=${groupBy}`);
      expect(data).toMatchObject([{ tradeCount: 0, coverage: 'partial' }]);
      expect(total.coverage).toBe('partial');
    }
  });

  it('has each lot of a fill before which the venue stated an unknown position, and what is closed of them', async () => {
    const row = (nth: number, fields: Partial<LedgerEventRow>) =>
      aLedgerRow(20 + nth, { account: COIN_ACCOUNT, price: '10', opened: '0', closes: [], ...fields });
    const unseen = {
      kind: 'unseen',
      price: null,
      realized: '0',
      partial: true,
      knownQty: '0',
      knownCost: '0',
    } as const;
    await insertRows(store, bookEventsTable, [
      row(1, { instrument: 'SOL', id: 's1', ...openChange('5', '0'), ...unseen, opened: '5' }),
      row(1, { instrument: 'SOL', id: 's1', part: 1, ...openChange('3', '30'), opened: '3' }),
      row(2, {
        instrument: 'SOL',
        id: 's2',
        ...openChange('-6', '-10'),
        knownQty: '-1',
        closes: [{ openedBy: 's1', qty: '6' }],
      }),
      row(1, { instrument: 'ADA', id: 'a1', ...openChange('-5', '0'), longQty: '0', ...unseen, opened: '-5' }),
      row(1, {
        instrument: 'ADA',
        id: 'a1',
        part: 1,
        ...openChange('3', '30'),
        qty: '8',
        opened: '3',
        closes: [{ openedBy: 'a1', qty: '-5' }],
      }),
    ]);
    const bookOf = async (coin: string) =>
      (await service.request('GET', `/v1/me/pnl/explain?walletId=${coinWallet}&marketId=${coin}`, { token })).body;
    const sol = await bookOf('SOL');
    expect(sol.book).toMatchObject({ openPosition: 2, avgCost: 10 });
    expect(sol.lots).toMatchObject([{ openedBy: 's1', qty: 2, price: 10 }]);
    const ada = await bookOf('ADA');
    expect(ada.book).toMatchObject({ openPosition: 3, avgCost: 10 });
    expect(ada.lots).toMatchObject([{ openedBy: 'a1', qty: 3, price: 10 }]);
  });

  it('lists events and lots of one millisecond in the order of the ledger', async () => {
    const row = (id: string, nth: number, fields: Partial<LedgerEventRow>) =>
      aLedgerRow(60, {
        account: COIN_ACCOUNT,
        instrument: 'DOT',
        id,
        nth,
        index: 0,
        price: '10',
        closes: [],
        ...fields,
      });
    await insertRows(store, bookEventsTable, [
      row('9', 0, { ...openChange('5', '50'), opened: '5' }),
      row('8', 2, { ...openChange('1', '10'), opened: '1' }),
      row('10', 1, { ...openChange('-4', '-40'), opened: '0', closes: [{ openedBy: '9', qty: '4' }] }),
    ]);
    const path = `/v1/me/pnl/explain?walletId=${coinWallet}&marketId=DOT&limit=1`;
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await service.request('GET', `${path}${cursor && `&cursor=${cursor}`}`, { token });
      seen.push(...body.events.map(({ id }: { id: string }) => id));
      expect(body.lots.map(({ openedBy }: { openedBy: string }) => openedBy)).toEqual(['9', '8']);
      cursor = body.pagination.nextCursor;
    }
    expect(seen).toEqual(['9', '10', '8']);
  });

  it('has lots that the rounding of the venue enlarged', async () => {
    const row = (nth: number, fields: Partial<LedgerEventRow>) =>
      aLedgerRow(40 + nth, { account: COIN_ACCOUNT, instrument: 'LINK', id: `l${nth}`, price: '10', ...fields });
    await insertRows(store, bookEventsTable, [
      row(1, { ...openChange('3', '30') }),
      row(2, { ...openChange('0.000001', '0.00001'), kind: 'unseen', opened: '0', enlarged: 'l1' }),
      row(2, { ...openChange('-1', '-10'), part: 1, opened: '0', closes: [{ openedBy: 'l1', qty: '1' }] }),
      row(3, { ...openChange('2', '24'), opened: '2', price: '12' }),
    ]);
    const path = `/v1/me/pnl/explain?walletId=${coinWallet}&marketId=LINK`;
    const { book, lots } = (await service.request('GET', path, { token })).body;
    expect(lots).toMatchObject([
      { openedBy: 'l1', qty: 2.000001, price: 10 },
      { openedBy: 'l3', qty: 2, price: 12 },
    ]);
    expect(book).toMatchObject({ openPosition: 4.000001, avgCost: 44.00001 / 4.000001 });
    const { data } = await pnl('provider=venue_a_perp');
    const [link] = data.filter(({ canonicalName }: { canonicalName: string }) => canonicalName === 'LINK');
    expect(link).toMatchObject({ openPosition: 4.000001, avgCost: 44.00001 / 4.000001 });
  });
});

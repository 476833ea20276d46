import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '#infra/store/store';
import { bookEventsTable } from '#schemas/tables/book-events';
import { tradesTable } from '#schemas/tables/trades';
import { aMarket } from '#schemas/testing/records.fixture';
import { type LedgerEventRow, ledgerTopic } from '#schemas/topics/ledgers';
import type { Trade } from '#schemas/topics/normalised';
import { anAccountFill, beginCoinLedger, insertAccountFills } from '../../../testing/account-fills.fixture.ts';
import { insertRows } from '../../../testing/insert-rows.fixture.ts';
import { ADDRESS, aLedgerRow, BEGAN } from '../../../testing/ledger-rows.fixture.ts';
import { openTestStore } from '../../../testing/open-test-store.fixture.ts';
import { insertMarkets } from '../../../testing/oracle.fixture.ts';
import { applyRecord, aTrade, NOON_MS } from '../../../testing/records.fixture.ts';
import { openTestService, type TestService } from '../../../testing/test-service.fixture.ts';
import { VIEWS } from '../../../views/views.ts';
import { getFills } from './get-fills.ts';

const OWN = ADDRESS;
const SECOND = `0x${'2b'.repeat(20)}`;
const STRANGER = `0x${'3c'.repeat(20)}`;

let opened: Awaited<ReturnType<typeof openTestStore>>;
let store: Store;
let service: TestService;
let version = 0;
/** Token of another organization. */
let stranger: string;
/** Wallets of the first organization, by address. */
const wallets: Record<string, string> = {};

beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
  service = await openTestService({ store });
  stranger = (await service.organization('Stranger')).token;
  for (const address of [OWN, SECOND]) wallets[address] = (await bind(address)).id;
});
afterAll(async () => {
  await service.close();
  await opened.close();
});
beforeEach(async () => {
  for (const table of ['book_events', 'account_fills', 'trades', 'markets'])
    await store.command(`TRUNCATE TABLE ${table}`);
  for (const address of [OWN, SECOND]) begin(address);
});

const bind = async (address: string, provider = 'venue_b') => {
  const body = { provider, address, label: '' };
  return (await service.request('POST', '/v1/me/wallets', { body })).body;
};
const begin = (address: string, ledger = BEGAN) => {
  const account = `venue_b:${address}`;
  applyRecord(VIEWS.ledgers, service.views.ledgers, ledgerTopic, account, { account, ledger });
};

const tradeOf = (nth: number, fields: Partial<Trade> = {}): Trade =>
  aTrade({
    id: `venue_b:0xt${nth}:${nth}`,
    provider: 'venue_b',
    marketId: '0xm',
    instrument: '111',
    outcome: 'Yes',
    ts: NOON_MS + nth * 1_000,
    side: 'buy',
    price: '0.4',
    qty: '3',
    maker: STRANGER,
    taker: OWN,
    txHash: `0xt${nth}`,
    logIndex: nth,
    status: 'confirmed',
    ...fields,
  });
/** Rows that are inserted later are newer versions. */
const nextVersion = () => {
  version += 100;
  return version;
};
const putTrades = (...trades: Trade[]) => insertRows(store, tradesTable, trades, nextVersion());
const putRows = (...rows: LedgerEventRow[]) => insertRows(store, bookEventsTable, rows, nextVersion());
const putFills = async (...numbers: number[]) => {
  await putTrades(...numbers.map((nth) => tradeOf(nth)));
  await putRows(...numbers.map((nth) => aLedgerRow(nth)));
};
const get = (query = '', token = service.admin) => service.request('GET', `/v1/me/fills${query}`, { token });
const read = async (query = '', token = service.admin) => {
  const { status, body } = await get(query, token);
  expect(status, JSON.stringify(body)).toBe(200);
  return getFills.response.parse(body) as {
    fills: Record<string, unknown>[];
    pagination: { nextCursor: string | null };
  };
};
const hashes = async (query = '') => (await read(query)).fills.map(({ txHash }) => txHash);

describe('a fill', () => {
  it('of a taker is the trade record with the wallet’s own view', async () => {
    await putFills(1);
    const { fills, pagination } = await read();
    expect(fills).toEqual([
      {
        id: 'venue_b:0xt1:1',
        provider: 'venue_b',
        marketId: '0xm',
        tokenId: '111',
        outcome: 'Yes',
        ts: '2026-03-01T12:00:01.000Z',
        side: 'buy',
        price: 0.4,
        qty: 3,
        maker: STRANGER,
        taker: OWN,
        txHash: '0xt1',
        logIndex: 1,
        tradeId: null,
        status: 'confirmed',
        walletId: wallets[OWN],
        role: 'taker',
        ownSide: 'buy',
        ownTokenId: '111',
        ownOutcome: 'Yes',
        ownPrice: 0.4,
        builder: null,
        fee: 0.01,
        feeToken: 'USD',
        builderFee: null,
        closedPnl: null,
        dir: null,
        liquidation: null,
      },
    ]);
    expect(pagination).toEqual({ nextCursor: null, hasMore: false });
  });

  it('of a maker on the complement shows both views, and the name of its own outcome', async () => {
    await insertMarkets(store, 'venue_b', [
      aMarket({ marketId: '0xm', instruments: ['111', '222'], outcomes: ['Yes', 'No'] }),
    ]);
    await putTrades(tradeOf(1, { maker: OWN, taker: STRANGER }));
    await putRows(
      aLedgerRow(1, { instrument: '222', price: '0.6', qty: '-3', builder: '0xb', fee: null, role: 'maker' }),
    );
    const [fill] = (await read()).fills;
    expect(fill).toMatchObject({ side: 'buy', price: 0.4, tokenId: '111', outcome: 'Yes', role: 'maker' });
    expect(fill).toMatchObject({ ownSide: 'sell', ownPrice: 0.6, ownTokenId: '222', ownOutcome: 'No' });
    expect(fill).toMatchObject({ builder: '0xb', fee: null });
  });

  it('is listed for each bound side of its trade, and twice for a wallet that traded with itself', async () => {
    await putTrades(tradeOf(1, { maker: SECOND }), tradeOf(2, { maker: OWN }));
    await putRows(
      aLedgerRow(1),
      aLedgerRow(1, { account: `venue_b:${SECOND}`, role: 'maker', qty: '-3' }),
      aLedgerRow(2),
      aLedgerRow(2, { id: 'venue_b:0xt2:2:maker', role: 'maker', qty: '-3' }),
    );
    const shown = (await read()).fills.map(({ id, walletId, role }) => [id, walletId, role]);
    expect(shown).toEqual([
      ['venue_b:0xt2:2', wallets[OWN], 'maker'],
      ['venue_b:0xt2:2', wallets[OWN], 'taker'],
      ['venue_b:0xt1:1', wallets[SECOND], 'maker'],
      ['venue_b:0xt1:1', wallets[OWN], 'taker'],
    ]);
  });

  it('stays listed as reverted, and once with its new place after it is included again', async () => {
    await putFills(1);
    await putTrades(tradeOf(1, { status: 'reverted' }));
    await putRows(aLedgerRow(1, { state: 'removed' }));
    expect((await read()).fills).toMatchObject([{ txHash: '0xt1', status: 'reverted' }]);
    const ts = NOON_MS + 7_000;
    await putTrades(tradeOf(1, { ts, status: 'pending' }));
    await putRows(aLedgerRow(1, { ts }));
    expect((await read()).fills).toMatchObject([{ ts: '2026-03-01T12:00:07.000Z', status: 'pending' }]);
  });

  it('is unavailable for a moment while its trade is not stored', async () => {
    await putRows(aLedgerRow(1));
    const { status, headers } = await get();
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    await putFills(1);
    expect((await read()).fills).toHaveLength(1);
  });

  it('of an earlier ledger, one that came too late, and what is no fill are not listed', async () => {
    await putFills(1, 2, 3, 4);
    await putRows(
      aLedgerRow(5, { ledger: BEGAN - 1 }),
      aLedgerRow(6, { id: 'venue_b:0xt6:6:late', qty: '0', price: null }),
      aLedgerRow(7, { kind: 'settle', role: null, tradedInstrument: null }),
    );
    expect(await hashes()).toEqual(['0xt4', '0xt3', '0xt2', '0xt1']);
    begin(OWN, BEGAN + 1);
    expect(await hashes()).toEqual([]);
  });
});

describe('pages', () => {
  it('continue without a gap or a repeat, also among fills of one time', async () => {
    const ts = NOON_MS;
    const numbers = [1, 2, 3, 4, 5];
    await putTrades(...numbers.map((nth) => tradeOf(nth, { ts })));
    await putRows(...numbers.map((nth) => aLedgerRow(nth, { ts })));
    const seen: unknown[] = [];
    let cursor = '';
    for (let page = 0; page < 3; page += 1) {
      const { fills, pagination } = await read(`?limit=2${cursor}`);
      seen.push(...fills.map(({ txHash }) => txHash));
      cursor = `&cursor=${pagination.nextCursor}`;
    }
    expect(seen).toEqual(['0xt5', '0xt4', '0xt3', '0xt2', '0xt1']);
    expect(cursor).toBe('&cursor=null');
  });

  it('refuse a cursor of other parameters, of another organization, and one that no page returned', async () => {
    await putFills(1, 2);
    const { nextCursor } = (await read('?limit=1')).pagination;
    const refused = [
      await get(`?limit=1&cursor=${nextCursor}&since=2026-01-01`),
      await get(`?limit=1&cursor=${nextCursor}`, stranger),
      await get(`?cursor=${Buffer.from('1 a').toString('base64url')}`),
    ];
    for (const { status, body } of refused) {
      expect([status, body.error.code]).toEqual([400, 'validation_failed']);
      expect(body.error.message).toMatch(/^cursor: /);
    }
    expect(await hashes(`?limit=5&cursor=${nextCursor}`)).toEqual(['0xt1']);
  });
});

describe('filters', () => {
  beforeEach(async () => {
    await putTrades(tradeOf(1), tradeOf(2, { taker: SECOND }));
    await putRows(aLedgerRow(1), aLedgerRow(2, { account: `venue_b:${SECOND}` }));
  });

  it('select wallets by id and by address in any case, repeated ones together', async () => {
    expect(await hashes(`?walletId=${wallets[OWN]}`)).toEqual(['0xt1']);
    expect(await hashes(`?walletAddress=${SECOND.toUpperCase().replace('0X', '0x')}`)).toEqual(['0xt2']);
    expect(await hashes(`?walletAddress=${SECOND}&walletId=${wallets[OWN]}`)).toEqual(['0xt2', '0xt1']);
    expect(await hashes(`?walletAddress=${SECOND}&walletAddress=${OWN}`)).toEqual(['0xt2', '0xt1']);
  });

  it('select a provider, and times of the venue from since until before until', async () => {
    expect(await hashes('?provider=venue_b')).toEqual(['0xt2', '0xt1']);
    expect(await hashes('?provider=venue_a')).toEqual([]);
    const [first, second] = [NOON_MS + 1_000, NOON_MS + 2_000];
    expect(await hashes(`?since=${second}`)).toEqual(['0xt2']);
    expect(await hashes(`?since=${first}&until=${second}`)).toEqual(['0xt1']);
  });

  it('answer foreign and unknown wallets alike', async () => {
    const shape = async (query: string) => {
      const { status, body } = await get(query, stranger);
      return { status, error: { ...body.error, requestId: '' } };
    };
    const unknown = await shape('?walletId=wal_none');
    expect(unknown).toMatchObject({ status: 404, error: { code: 'not_found' } });
    expect(await shape(`?walletId=${wallets[OWN]}`)).toEqual(unknown);
    expect(await shape(`?walletAddress=${OWN}`)).toEqual(unknown);
    expect((await read('', stranger)).fills).toEqual([]);
  });

  it.each([
    ['walletAddress', 'walletAddress=0x1'],
    ['walletAddress', `walletAddress=${OWN}&walletAddress=x`],
    ['provider', 'provider=venue_x'],
    ['provider', 'provider=venue_a&provider=venue_b'],
    ['limit', 'limit=1.5'],
    ['since', 'since=yesterday'],
    ['since', 'since=2026-03-02&until=2026-03-01'],
    ['until', 'until=2026-02-30'],
    ['cursor', 'cursor=a%20b'],
    ['builder', 'builder=0x1'],
  ])('that are invalid are answered with 400 naming %s: %s', async (field, query) => {
    const { status, body } = await get(`?${query}`);
    expect([status, body.error.code]).toEqual([400, 'validation_failed']);
    expect(body.error.message).toMatch(new RegExp(`^${field}[.:]`));
  });
});

it('a wallet whose account has no ledger yet has no fills', async () => {
  await bind(STRANGER);
  expect((await read()).fills).toEqual([]);
});

describe('fills of venue_a', () => {
  const ids = async (query = '') => (await read(query)).fills.map(({ provider, id }) => [provider, id]);
  let walletId: string;
  beforeAll(async () => {
    walletId = (await bind(OWN, 'venue_a')).id;
  });
  beforeEach(() => beginCoinLedger(service.views.ledgers));

  it('are the trade as the taker saw it, without the counterparty, and what the venue states of the wallet', async () => {
    const liquidation = { liquidatedUser: OWN, liquidationMark: '99', liquidationMethod: 'market' };
    await insertAccountFills(store, [anAccountFill(1, { builderFee: '0.02', ...liquidation })]);
    expect((await read()).fills).toEqual([
      {
        id: anAccountFill(1).id,
        provider: 'venue_a_perp',
        marketId: 'BTC',
        tokenId: null,
        outcome: null,
        ts: '2026-03-01T12:00:01.000Z',
        side: 'buy',
        price: 100,
        qty: 2,
        maker: OWN,
        taker: null,
        txHash: '0xabc',
        logIndex: null,
        tradeId: '1',
        status: 'confirmed',
        walletId,
        role: 'maker',
        ownSide: 'sell',
        ownTokenId: null,
        ownOutcome: null,
        ownPrice: 100,
        builder: null,
        fee: -0.01,
        feeToken: 'USDC',
        builderFee: 0.02,
        closedPnl: -1.5,
        dir: 'Close Long',
        liquidation: { liquidatedUser: OWN, markPx: 99, method: 'market' },
      },
    ]);
  });

  it('are listed among those of venue_b in the order of time, over pages too', async () => {
    await insertAccountFills(
      store,
      [1, 3, 5].map((nth) => anAccountFill(nth)),
    );
    await putFills(2, 4);
    const seen: unknown[] = [];
    let cursor = '';
    for (let page = 0; page < 3; page += 1) {
      const { fills, pagination } = await read(`?limit=2${cursor}`);
      seen.push(...fills.map(({ ts }) => new Date(ts as string).getTime() - NOON_MS));
      cursor = `&cursor=${pagination.nextCursor}`;
    }
    expect(seen).toEqual([5_000, 4_000, 3_000, 2_000, 1_000]);
    expect(cursor).toBe('&cursor=null');
    expect(await ids('?provider=venue_a')).toHaveLength(3);
    expect(await ids(`?since=${NOON_MS + 3_000}&until=${NOON_MS + 5_000}`)).toHaveLength(2);
  });

  it('are those of the requested provider; an outcome has its name, and those of an earlier ledger are left out', async () => {
    await insertMarkets(store, 'venue_a', [
      aMarket({ provider: 'venue_a_outcome', marketId: '#10', instruments: ['#10', '#11'], outcomes: ['Up', 'Down'] }),
    ]);
    const [coin, gold, side] = [
      anAccountFill(1),
      anAccountFill(2, { id: 'gold', provider: 'venue_a_dex', coin: 'x:GOLD' }),
      anAccountFill(3, { id: 'side', provider: 'venue_a_outcome', coin: '#11' }),
    ];
    await insertAccountFills(store, [coin, gold, side, anAccountFill(4, { ledger: 1 })]);
    expect(await ids()).toEqual([side, gold, coin].map(({ provider, id }) => [provider, id]));
    expect(await ids('?provider=venue_a_dex')).toEqual([['venue_a_dex', 'gold']]);
    expect((await read('?provider=venue_a_outcome')).fills).toMatchObject([{ marketId: '#10', outcome: 'Down' }]);
  });

  it('of a wallet that is bound under one provider are those of that provider', async () => {
    const { token } = await service.organization('Dex');
    const body = { provider: 'venue_a_dex', address: OWN, label: '' };
    await service.request('POST', '/v1/me/wallets', { body, token });
    const gold = anAccountFill(2, { id: 'gold', provider: 'venue_a_dex', coin: 'x:GOLD' });
    await insertAccountFills(store, [anAccountFill(1), gold]);
    expect((await read('', token)).fills).toMatchObject([{ id: 'gold' }]);
  });
});

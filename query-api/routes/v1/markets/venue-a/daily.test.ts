import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '#infra/store/store';
import { dailyRowsTable } from '#schemas/tables/daily-rows';
import { type DailyRow, dailyRowTopic } from '#schemas/topics/daily';
import { insertRows } from '../../../../testing/insert-rows.fixture.ts';
import { openApp } from '../../../../testing/open-app.fixture.ts';
import { openTestStore } from '../../../../testing/open-test-store.fixture.ts';
import type { Freshness } from '../../../../views/freshness.ts';

const PATH = '/v1/markets/venue_a/daily';
const DAY = '2026-02-28';

function aRow(symbol: string, fields: Partial<DailyRow> = {}): DailyRow {
  return {
    tradeDate: DAY,
    marketType: 'perp',
    symbol,
    receivedAt: Date.UTC(2026, 2, 1),
    open: '100.5',
    high: '110',
    low: '90.25',
    close: '95',
    volume: '12.5',
    amount: '1200.75',
    marketCap: null,
    parts: 288,
    complete: true,
    source: 'candle_agg_5m',
    ...fields,
  };
}
const aPairRow = (symbol: string, fields: Partial<DailyRow> = {}) =>
  aRow(symbol, { marketType: 'spot', source: 'ctx_sample', parts: 24, marketCap: '5000.5', ...fields });

let store: Store;
let closeStore: () => Promise<void>;
beforeAll(async () => {
  ({ store, close: closeStore } = await openTestStore());
  const rows = [
    aPairRow('HYPE-USDC', { volume: null, amount: null, marketCap: null }),
    aRow('xyz:TSLA'),
    aRow('kPEPE', { complete: false }),
    aRow('ETH', { close: '1' }),
    aRow('BTC'),
    aPairRow('ABC-USDC'),
    aRow('GONE'),
    aRow('BTC', { tradeDate: '2026-02-27' }),
  ];
  await insertRows(store, dailyRowsTable, rows);
  // A correction, and a market whose bars turned out to be none.
  await insertRows(store, dailyRowsTable, [aRow('ETH', { close: '2' }), aRow('GONE', { parts: 0 })], 100);
});
afterAll(() => closeStore());

interface Body {
  readonly date: string;
  readonly market: string | null;
  readonly count: number;
  readonly snapshots: readonly { readonly symbol: string }[];
}
const openDaily = async () => {
  const app = await openApp({ app: { store } });
  return { app, read: async (query: string) => (await app.get(`${PATH}?${query}`)).json() as Body };
};
const symbols = ({ snapshots }: Body) => snapshots.map(({ symbol }) => symbol);

describe(`GET ${PATH}`, () => {
  it('returns the newest state of every row of a day, sorted by type, then by code units of the symbol', async () => {
    const { read } = await openDaily();
    const body = await read(`date=${DAY}`);
    const row = { tradeDate: DAY, open: 100.5, high: 110, low: 90.25, close: 95, volume: 12.5, amount: 1200.75 };
    const perp = { ...row, marketType: 'perp', marketCap: null, source: 'candle_agg_5m', complete: true };
    const pair = { ...row, marketType: 'spot', marketCap: 5000.5, source: 'ctx_sample', complete: true };
    expect(body).toEqual({
      date: DAY,
      market: null,
      count: 6,
      snapshots: [
        { ...perp, symbol: 'BTC' },
        { ...perp, symbol: 'ETH', close: 2 },
        { ...perp, symbol: 'kPEPE', complete: false },
        { ...perp, symbol: 'xyz:TSLA' },
        { ...pair, symbol: 'ABC-USDC' },
        { ...pair, symbol: 'HYPE-USDC', volume: null, amount: null, marketCap: null },
      ],
    });
  });

  it('states the time up to which its stage and the tables have come', async () => {
    const { app } = await openDaily();
    const positions = new Map([[dailyRowTopic.name, Date.UTC(2026, 2, 1, 0, 0, 5)]]);
    const freshness: Freshness = {
      ...app.views.freshness,
      asOf: ({ name }) => positions.get(name) ?? null,
      tablesAsOf: async (topics, until) => (topics[0] === dailyRowTopic ? until - 700 : null),
    };
    Object.assign(app.views, { freshness });
    const stated = async () => (await app.get(`${PATH}?date=${DAY}`)).headers['x-fetched-at'];
    expect(await stated()).toBe('2026-03-01T00:00:04.300Z');
    positions.clear();
    expect(await stated()).toBe('2026-03-01T00:00:04.300Z');
    app.advance(60_001);
    expect(await stated()).toBeUndefined();
  });

  it('returns one type if it is named, and accepts a day without dashes', async () => {
    const { read } = await openDaily();
    const perps = await read('date=20260228&market=perp');
    expect(perps).toMatchObject({ date: DAY, market: 'perp', count: 4 });
    expect(symbols(perps)).toEqual(['BTC', 'ETH', 'kPEPE', 'xyz:TSLA']);
    expect(symbols(await read('date=20260228&market=spot'))).toEqual(['ABC-USDC', 'HYPE-USDC']);
  });

  it.each(['2026-03-01', '19000101', '0001-01-01', '99991231'])('returns no rows for %s', async (date) => {
    const { read } = await openDaily();
    expect(await read(`date=${date}`)).toMatchObject({ market: null, count: 0, snapshots: [] });
  });

  it.each([
    ['', 'date'],
    ['date=', 'date'],
    ['date=2026-02-29', 'date'],
    ['date=20260230', 'date'],
    ['date=2026-0228', 'date'],
    ['date=202602-28', 'date'],
    ['date=2026-2-28', 'date'],
    ['date=1772236800000', 'date'],
    ['date=2026-02-28T00:00:00Z', 'date'],
    ['date=yesterday', 'date'],
    ['date=20260228&market=dex', 'market'],
    ['date=20260228&market=', 'market'],
  ])('refuses "%s" and names %s', async (query, name) => {
    const { app } = await openDaily();
    const answer = await app.get(`${PATH}?${query}`);
    expect(answer.status).toBe(400);
    const { error } = answer.json() as { error: { code: string; message: string } };
    expect(error.code).toBe('validation_failed');
    expect(error.message).toMatch(new RegExp(`^${name}\\b`));
  });

  it('is cached for a minute, and answers 304 to its own tag', async () => {
    const { app } = await openDaily();
    const first = await app.get(`${PATH}?date=${DAY}`);
    expect(first.headers).toMatchObject({ 'cache-control': 'private, max-age=60', age: '0' });
    const authorization = `Bearer ${app.cachedToken(['read'])}`;
    const again = await app.request('GET', `${PATH}?date=${DAY}`, {
      authorization,
      'if-none-match': String(first.headers.etag),
    });
    expect(again.status).toBe(304);
  });

  it('needs the scope read', async () => {
    const { app } = await openDaily();
    const authorization = `Bearer ${app.cachedToken(['stream'])}`;
    const answer = await app.request('GET', `${PATH}?date=${DAY}`, { authorization });
    expect([answer.status, answer.json()]).toMatchObject([403, { error: { code: 'insufficient_scope' } }]);
  });
});

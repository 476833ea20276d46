import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { tradesTable } from '#schemas/tables/trades';
import type { Trade } from '#schemas/topics/normalised';
import { insertRows } from '../testing/insert-rows.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { aTrade, NOON_MS } from '../testing/records.fixture.ts';
import { readTradePage, readTrades, type TradedInstrument } from './read-trades.ts';

const { store, close } = await openTestStore();
afterAll(close);
beforeEach(() => store.command('TRUNCATE TABLE trades'));

const BTC = { provider: 'venue_a_perp', instrument: 'BTC' };
const YES = { provider: 'venue_b', instrument: '111' };

/** A trade of a coin, identified by a number. */
const numbered = (number: number, fields: Partial<Trade> = {}) =>
  aTrade({
    id: `venue_a_perp:BTC:${number}`,
    ...BTC,
    marketId: 'BTC',
    ts: NOON_MS + number,
    arrival: number,
    tradeId: String(number),
    ...fields,
  });

const insert = (trades: readonly Trade[], seq = 1) => insertRows(store, tradesTable, trades, seq);
const read = (instruments: readonly TradedInstrument[], limit: number, until: number | null = null) =>
  readTrades(store, { instruments, limit, until });
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const idsOf = (trades: readonly Pick<Trade, 'id'>[]) => trades.map((trade) => Number(trade.id.split(':')[2]));

describe('readTrades', () => {
  it('returns trades unchanged, with exact decimals', async () => {
    const { orders, ...trade } = aTrade({
      price: '0.333333333333333333',
      qty: '12345678901234567890.000000000000000001',
    });
    await insert([{ ...trade, orders }]);
    expect(await read([YES], 10)).toEqual([trade]);
  });

  it('returns nothing without trades or without instruments', async () => {
    expect(await read([BTC], 10)).toEqual([]);
    expect(await read([], 10)).toEqual([]);
  });

  it('sorts trades with equal venue times by descending arrival', async () => {
    await insert([3, 1, 2].map((number) => numbered(number, { ts: NOON_MS })));
    expect(idsOf(await read([BTC], 10))).toEqual([3, 2, 1]);
  });

  it('returns each trade once, in its newest version, and no reverted ones', async () => {
    await insert(numbers(9).map((number) => numbered(number, { status: 'pending' })));
    await insert([numbered(8, { status: 'confirmed' }), numbered(9, { status: 'reverted' })], 100);
    const trades = await read([BTC], 3);
    expect(idsOf(trades)).toEqual([8, 7, 6]);
    expect(trades[0]!.status).toBe('confirmed');
  });

  it('finds trades behind any number of reverted ones', async () => {
    await insert(numbers(400).map((number) => numbered(number)));
    await insert(
      numbers(395).map((at) => numbered(at + 5, { status: 'reverted' })),
      1_000,
    );
    expect(idsOf(await read([BTC], 2))).toEqual([5, 4]);
    expect(idsOf(await read([BTC], 200))).toEqual([5, 4, 3, 2, 1]);
  });

  it('merges the trades of several instruments into one order, without other instruments', async () => {
    await insert([
      numbered(1),
      aTrade({ id: 'venue_b:x:2', ts: NOON_MS + 2 }),
      numbered(3),
      aTrade({ id: 'venue_b:x:4', instrument: '999', ts: NOON_MS + 4 }),
    ]);
    expect(idsOf(await read([BTC, YES], 10))).toEqual([3, 2, 1]);
    expect(idsOf(await read([BTC, YES], 2))).toEqual([3, 2]);
    expect(idsOf(await read([YES], 10))).toEqual([2]);
  });

  it('does not mix up instruments of two venues with the same name', async () => {
    await insert([
      numbered(1),
      aTrade({ id: 'venue_b:x:2', ts: NOON_MS + 2 }),
      // A coin of venue_a named like the token of venue_b, and vice versa.
      numbered(3, { instrument: YES.instrument }),
      aTrade({ id: 'venue_b:x:4', instrument: BTC.instrument, ts: NOON_MS + 4 }),
    ]);
    expect(idsOf(await read([BTC, YES], 10))).toEqual([2, 1]);
  });
});

describe('readTradePage', () => {
  it('pages back to the oldest trade, also among trades with the same time', async () => {
    await insert(numbers(25).map((number) => numbered(number, { ts: NOON_MS + Math.floor(number / 4) })));
    const found: number[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const page: Awaited<ReturnType<typeof readTradePage>> = await readTradePage(store, [BTC, YES], 4, cursor);
      found.push(...idsOf(page.trades));
      cursor = page.nextCursor;
      pages += 1;
      // A newer trade, and an update of one that was listed.
      await insert([numbered(100 + pages), numbered(24, { ts: NOON_MS + 6, status: 'confirmed' })], 1_000 * pages);
    } while (cursor !== null);
    expect(found).toEqual(numbers(25).reverse());
    expect(pages).toBe(7);
  });

  it.each(['', 'x', Buffer.from('1 2').toString('base64url'), Buffer.from('1 a:b').toString('base64url')])(
    'refuses the cursor %j',
    async (cursor) => {
      await expect(readTradePage(store, [BTC], 4, cursor)).rejects.toMatchObject({ code: 'validation_failed' });
    },
  );
});

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { tradesTable } from '#schemas/tables/trades';
import type { Trade } from '#schemas/topics/normalised';
import { keepRows } from '../testing/keep-rows.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { aTrade, NOON_MS } from '../testing/records.fixture.ts';
import { readTrades } from './read-trades.ts';

const { store, close } = await openTestStore();
afterAll(close);
beforeEach(() => store.command('TRUNCATE TABLE trades'));

const BTC = { provider: 'venue_a_perp', instrument: 'BTC' };
const YES = { provider: 'venue_b', instrument: '111' };

/** A trade of a coin that nothing but its number tells from others. */
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

const keep = (trades: readonly Trade[], seq = 1) => keepRows(store, tradesTable, trades, seq);
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const idsOf = (trades: readonly Trade[]) => trades.map((trade) => Number(trade.id.split(':')[2]));

describe('the newest trades', () => {
  it('come newest first, exactly as they were told', async () => {
    const told = aTrade({ price: '0.333333333333333333', qty: '12345678901234567890.000000000000000001' });
    await keep([told]);
    expect(await readTrades(store, [YES], 10)).toEqual([told]);
  });

  it('are none where nothing was traded, and where nothing is asked for', async () => {
    expect(await readTrades(store, [BTC], 10)).toEqual([]);
    expect(await readTrades(store, [], 10)).toEqual([]);
  });

  it('at equal venue times come in the reverse order of their arrival', async () => {
    await keep([3, 1, 2].map((number) => numbered(number, { ts: NOON_MS })));
    expect(idsOf(await readTrades(store, [BTC], 10))).toEqual([3, 2, 1]);
  });

  it('count once, in their newest state, and not at all when reverted', async () => {
    await keep(numbers(9).map((number) => numbered(number, { status: 'pending' })));
    await keep([numbered(8, { status: 'confirmed' }), numbered(9, { status: 'reverted' })], 100);
    const trades = await readTrades(store, [BTC], 3);
    expect(idsOf(trades)).toEqual([8, 7, 6]);
    expect(trades[0]!.status).toBe('confirmed');
  });

  it('are found behind any number of reverted ones', async () => {
    await keep(numbers(400).map((number) => numbered(number)));
    await keep(
      numbers(395).map((at) => numbered(at + 5, { status: 'reverted' })),
      1_000,
    );
    expect(idsOf(await readTrades(store, [BTC], 2))).toEqual([5, 4]);
    expect(idsOf(await readTrades(store, [BTC], 200))).toEqual([5, 4, 3, 2, 1]);
  });

  it('of several instruments come in one order, those of others not at all', async () => {
    await keep([
      numbered(1),
      aTrade({ id: 'venue_b:x:2', ts: NOON_MS + 2 }),
      numbered(3),
      aTrade({ id: 'venue_b:x:4', instrument: '999', ts: NOON_MS + 4 }),
    ]);
    expect(idsOf(await readTrades(store, [BTC, YES], 10))).toEqual([3, 2, 1]);
    expect(idsOf(await readTrades(store, [BTC, YES], 2))).toEqual([3, 2]);
    expect(idsOf(await readTrades(store, [YES], 10))).toEqual([2]);
  });

  it('are not those of another venue that calls something else by the same name', async () => {
    await keep([
      numbered(1),
      aTrade({ id: 'venue_b:x:2', ts: NOON_MS + 2 }),
      // The token of venue_b's market as a coin of venue_a, and the other way round.
      numbered(3, { instrument: YES.instrument }),
      aTrade({ id: 'venue_b:x:4', instrument: BTC.instrument, ts: NOON_MS + 4 }),
    ]);
    expect(idsOf(await readTrades(store, [BTC, YES], 10))).toEqual([2, 1]);
  });
});

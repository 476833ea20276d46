import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { arbitrageTable } from '#schemas/tables/arbitrage';
import { spreadsTable } from '#schemas/tables/spreads';
import type { Arbitrage, Spread } from '#schemas/topics/derived';
import { insertRows } from '../testing/insert-rows.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { anArbitrage, aSpread, NOON_MS } from '../testing/records.fixture.ts';
import { type HistoryPage, type HistoryRange, readArbitrageHistory, readSpreadHistory } from './read-event-history.ts';

const { store, close } = await openTestStore();
afterAll(close);
beforeEach(async () => {
  await store.command('TRUNCATE TABLE spreads');
  await store.command('TRUNCATE TABLE arbitrage');
});

const EVENTS = ['evt_1', 'evt_merged'];
const range = (fields: Partial<HistoryRange> = {}): HistoryRange => ({
  from: 0,
  to: null,
  limit: 100,
  cursor: null,
  ...fields,
});
const spreads = (fields?: Partial<HistoryRange>) => readSpreadHistory(store, EVENTS, range(fields));
const arbitrage = (fields?: Partial<HistoryRange>) => readArbitrageHistory(store, EVENTS, range(fields));

/** All records, read in pages. */
async function readAll<T>(
  read: (fields: Partial<HistoryRange>) => Promise<HistoryPage<T>>,
  limit: number,
): Promise<readonly T[]> {
  const records: T[] = [];
  let cursor: string | null = null;
  do {
    const page: HistoryPage<T> = await read({ limit, cursor });
    expect(page.records.length).toBeGreaterThan(0);
    records.push(...page.records);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return records;
}

describe('the history of spreads', () => {
  it('returns records as published, newest first, in the bounds', async () => {
    const [leg] = aSpread().legs;
    const legs = [
      leg!,
      { ...leg!, provider: 'venue_c', yesBid: null, yesMid: null, bookAt: null, state: null, live: false },
    ];
    const published = [0, 1, 2, 3].map((at) => aSpread({ receivedAt: NOON_MS + at, legs, causeProvider: 'venue_b' }));
    await insertRows(store, spreadsTable, published);
    await insertRows(store, spreadsTable, [aSpread({ universalId: 'evt_other' })]);
    expect(await spreads()).toEqual({ records: published.toReversed(), nextCursor: null });
    expect((await spreads({ from: NOON_MS + 1, to: NOON_MS + 2 })).records).toEqual([published[2], published[1]]);
    expect(await spreads({ from: NOON_MS + 9 })).toEqual({ records: [], nextCursor: null });
  });

  it('returns a row once that was written twice', async () => {
    await insertRows(store, spreadsTable, [aSpread()]);
    await insertRows(store, spreadsTable, [aSpread()]);
    expect((await spreads()).records).toHaveLength(1);
  });

  it.each(['x', Buffer.from('1 2').toString('base64url')])('refuses the cursor %j', async (cursor) => {
    await expect(spreads({ cursor })).rejects.toMatchObject({ code: 'validation_failed' });
  });
});

describe.each([1, 2, 3, 7])('pages of %i', (limit) => {
  it('return each spread once, also those of one millisecond and of a merged event', async () => {
    const published: Spread[] = [];
    for (let at = 0; at < 12; at += 1)
      published.push(
        aSpread({ universalId: EVENTS[at % 2]!, receivedAt: NOON_MS + Math.floor(at / 6), causeMarketId: `${at}` }),
      );
    await insertRows(store, spreadsTable, published);
    const found = await readAll(spreads, limit);
    expect(found.map(({ receivedAt }) => receivedAt)).toEqual(published.map(({ receivedAt }) => receivedAt).reverse());
    expect(new Set(found.map(({ causeMarketId }) => causeMarketId)).size).toBe(12);
  });

  it('return the arbitrage of both kinds', async () => {
    const published: Arbitrage[] = [];
    for (let at = 0; at < 10; at += 1)
      published.push(
        anArbitrage({
          receivedAt: NOON_MS + Math.floor(at / 4),
          kind: at % 2 === 0 ? 'cross_provider' : 'negation_pair',
          netEdge: `0.0${at}1`,
          quoteAgeMs: -3,
        }),
      );
    await insertRows(store, arbitrageTable, published);
    const found = await readAll(arbitrage, limit);
    expect(found.toSorted((a, b) => (a.netEdge < b.netEdge ? -1 : 1))).toEqual(published);
    expect(found.map(({ receivedAt }) => receivedAt)).toEqual(published.map(({ receivedAt }) => receivedAt).reverse());
  });
});

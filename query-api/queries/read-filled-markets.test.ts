import { afterAll, expect, it } from 'vitest';
import { tradesTable } from '#schemas/tables/trades';
import { insertRows } from '../testing/insert-rows.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { aTrade, NOON_MS } from '../testing/records.fixture.ts';
import { readFilledMarkets } from './read-filled-markets.ts';

const { store, close } = await openTestStore();
afterAll(close);

it('readFilledMarkets reads only the parts of the table with fills of the wallet, as maker or taker', async () => {
  const trades = Array.from({ length: 4_096 }, (_, at) => {
    const [maker, taker] = at === 9 ? ['0xnobody', '0xours'] : ['0xours', null];
    const trade = aTrade({ id: `t${at}`, arrival: at, marketId: `0xm${at}`, maker: '0xother', taker: '0xother' });
    return [9, 4_000].includes(at) ? { ...trade, maker, taker } : trade;
  });
  await insertRows(store, tradesTable, trades);
  const plans: { explain: string }[] = [];
  const query: typeof store.query = async (sql, parameters) => {
    plans.push(...(await store.query<{ explain: string }>(`EXPLAIN indexes = 1 ${sql}`, parameters)));
    return store.query(sql, parameters);
  };
  const found = await readFilledMarkets({ query }, [{ provider: 'venue_b', address: '0xours' }], NOON_MS);
  expect(found.map(({ providerMarketId }) => providerMarketId).sort()).toEqual(['0xm4000', '0xm9']);
  const lines = plans.map(({ explain }) => explain.trim());
  expect(lines.slice(lines.indexOf('Name: byWallet'))).toContain('Granules: 2/4');
});

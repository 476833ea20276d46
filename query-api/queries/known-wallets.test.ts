import { expect, it } from 'vitest';
import type { Wallet } from '#schemas/domain/control/state';
import { accountFillTopic } from '#schemas/topics/account-fills';
import { ledgerEventTopic, ledgerTopic } from '#schemas/topics/ledgers';
import { beginCoinLedger } from '../testing/account-fills.fixture.ts';
import { ADDRESS, BEGAN } from '../testing/ledger-rows.fixture.ts';
import { applyRecord, createViews, NOON_MS } from '../testing/records.fixture.ts';
import { ledgersView } from '../views/ledgers.ts';
import { knownWallets } from './known-wallets.ts';

const onA = { id: 'a', provider: 'venue_a_perp', address: ADDRESS } as Wallet;
const onB = { id: 'b', provider: 'venue_b', address: ADDRESS } as Wallet;

it('figures are known with the first response and complete with the whole history, once the tables have it, until the account has another ledger', async () => {
  const { ledgers, freshness } = createViews();
  let tables: number | null = null;
  let reads = 0;
  const views = {
    ledgers,
    freshness: {
      ...freshness,
      tablesAsOf: async (topics: readonly { readonly name: string }[], until: number) => {
        expect(topics).toEqual([ledgerEventTopic, accountFillTopic]);
        reads += 1;
        return tables === null ? null : Math.min(until, tables);
      },
    },
  };
  const known = async () => {
    const found = await knownWallets(views, [onA, onB]);
    return [[...found.known], [...found.complete]].map((wallets) => wallets.map(({ id }) => id).join());
  };
  expect(await known()).toEqual(['', '']);
  const account = `venue_b:${ADDRESS}`;
  applyRecord(ledgersView, ledgers, ledgerTopic, account, { account, ledger: BEGAN });
  beginCoinLedger(ledgers, { knownAt: null, loadedAt: null });
  expect(await known()).toEqual(['b', 'b']);
  expect(reads).toBe(0);
  beginCoinLedger(ledgers, { knownAt: NOON_MS - 5, loadedAt: null });
  for (const reached of [null, NOON_MS - 6]) {
    tables = reached;
    expect(await known()).toEqual(['b', 'b']);
  }
  tables = NOON_MS - 5;
  expect(await known()).toEqual(['a,b', 'b']);
  beginCoinLedger(ledgers, { knownAt: NOON_MS - 5, loadedAt: NOON_MS });
  for (const reached of [null, NOON_MS - 1]) {
    tables = reached;
    expect(await known()).toEqual(['a,b', 'b']);
  }
  tables = NOON_MS;
  expect(await known()).toEqual(['a,b', 'a,b']);
  tables = null;
  expect(await known()).toEqual(['a,b', 'a,b']);
  expect(reads).toBe(6);
  beginCoinLedger(ledgers, { knownAt: NOON_MS - 5, skippedAt: NOON_MS - 9 });
  expect(await known()).toEqual(['a,b', 'b']);
  beginCoinLedger(ledgers, { ledger: BEGAN + 1 });
  expect(await known()).toEqual(['b', 'b']);
});

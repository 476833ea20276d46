/** A service with a wallet whose ledger has events of several books. */
import type { Store } from '#infra/store/store';
import { bookEventsTable } from '#schemas/tables/book-events';
import { aMarket } from '#schemas/testing/records.fixture';
import { ledgerTopic } from '#schemas/topics/ledgers';
import { VIEWS } from '../views/views.ts';
import { insertRows } from './insert-rows.fixture.ts';
import { ADDRESS, aLedgerRow, BEGAN, openChange } from './ledger-rows.fixture.ts';
import { openTestStore } from './open-test-store.fixture.ts';
import { insertMarkets } from './oracle.fixture.ts';
import { applyRecord } from './records.fixture.ts';
import { openTestService, type TestService } from './test-service.fixture.ts';

export const BUILDER = `0x${'0b'.repeat(32)}`;
const ACCOUNT = `venue_b:${ADDRESS}`;
/** The id of the nth event. */
export const idOf = (nth: number) => `venue_b:0xt${nth}:${nth}`;

export interface PnlService {
  readonly store: Store;
  readonly service: TestService;
  readonly walletId: string;
  close(): Promise<void>;
}

/**
 * The book of token 111 buys 3 at 0.4 and 2 at 0.5 and sells 4 at 0.9: 3 · 0.5 + 0.4 = 1.9 is realized, and 1 of the
 * second lot is left. A builder's book of it has sold 1, and that of token 222 holds 3 at 0.4.
 */
export async function openPnlService(): Promise<PnlService> {
  const { store, close } = await openTestStore();
  const service = await openTestService({ store });
  const walletId = await bindWallet(service, ADDRESS);
  applyRecord(VIEWS.ledgers, service.views.ledgers, ledgerTopic, ACCOUNT, { account: ACCOUNT, ledger: BEGAN });
  await insertMarkets(store, 'venue_b', [
    aMarket({ marketId: '0xm', instruments: ['111', '222'], outcomes: ['Yes', 'No'] }),
  ]);
  const closes = [
    { openedBy: idOf(1), qty: '3' },
    { openedBy: idOf(2), qty: '1' },
  ];
  await insertRows(store, bookEventsTable, [
    aLedgerRow(1),
    aLedgerRow(2, { ...openChange('2', '1'), price: '0.5', opened: '2', fee: null }),
    aLedgerRow(3, { ...openChange('-4', '-1.7'), price: '0.9', opened: '0', realized: '1.9', closes }),
    aLedgerRow(4, { ...openChange('-1', '-0.4'), longQty: '0', builder: BUILDER, opened: '-1' }),
    aLedgerRow(5, { instrument: '222', opened: '3' }),
    aLedgerRow(6, { ledger: BEGAN - 1 }),
    aLedgerRow(7, { state: 'removed' }),
    aLedgerRow(8, {
      instrument: '333',
      kind: 'settle',
      ...openChange('0', '0'),
      opened: '0',
      realized: null,
      notional: '0',
      fee: '0',
    }),
  ]);
  return {
    store,
    service,
    walletId,
    close: async () => {
      await service.close();
      await close();
    },
  };
}

/** Binds a wallet, of venue_b by default, and returns its id. */
export async function bindWallet(
  service: TestService,
  address: string,
  token = service.admin,
  provider = 'venue_b',
): Promise<string> {
  const body = { provider, address, label: '' };
  return (await service.request('POST', '/v1/me/wallets', { token, body })).body.id;
}

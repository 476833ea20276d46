/** An account of venue_a with a loaded ledger, for tests. */
import type { Store } from '#infra/store/store';
import { accountFillsTable } from '#schemas/tables/account-fills';
import { type AccountFill, type FillLoad, fillLoadTopic } from '#schemas/topics/account-fills';
import { ledgerTopic } from '#schemas/topics/ledgers';
import { type LedgersView, ledgersView } from '../views/ledgers.ts';
import { insertRows } from './insert-rows.fixture.ts';
import { ADDRESS, BEGAN } from './ledger-rows.fixture.ts';
import { applyRecord, NOON_MS } from './records.fixture.ts';

export const COIN_ACCOUNT = `venue_a:${ADDRESS}`;

/** Begins the ledger of an account; its fills are loaded unless `fields` state otherwise. */
export function beginCoinLedger(view: LedgersView, fields: Partial<FillLoad> = {}): void {
  const load: FillLoad = {
    account: COIN_ACCOUNT,
    user: ADDRESS,
    ledger: BEGAN,
    receivedAt: NOON_MS,
    knownAt: NOON_MS,
    loadedAt: NOON_MS,
    ordersFrom: NOON_MS,
    twapsFrom: 0,
    ordersCompleteAt: NOON_MS,
    twapsCompleteAt: NOON_MS,
    tradedAt: null,
    missingFrom: null,
    skippedAt: null,
    ...fields,
  };
  const { account, ledger } = load;
  applyRecord(ledgersView, view, ledgerTopic, account, { account, ledger });
  applyRecord(ledgersView, view, fillLoadTopic, account, load);
}

/** A sale of 2 BTC at 100 as a maker, one second after another. */
export function anAccountFill(nth: number, fields: Partial<AccountFill> = {}): AccountFill {
  const time = NOON_MS + nth * 1_000;
  return {
    account: COIN_ACCOUNT,
    ledger: BEGAN,
    id: `venue_a_perp:BTC:${time}:${nth}`,
    receivedAt: time + 500,
    provider: 'venue_a_perp',
    coin: 'BTC',
    time,
    side: 'sell',
    role: 'maker',
    price: '100',
    qty: '2',
    startPosition: '3',
    dir: 'Close Long',
    closedPnl: '-1.5',
    hash: '0xabc',
    tid: nth,
    oid: nth,
    fee: '-0.01',
    feeToken: 'USDC',
    isFeeTraded: false,
    builderFee: null,
    builder: null,
    liquidatedUser: null,
    liquidationMark: null,
    liquidationMethod: null,
    ...fields,
  };
}

export function insertAccountFills(store: Store, fills: readonly AccountFill[], version = 0): Promise<void> {
  return insertRows(store, accountFillsTable, fills, version);
}

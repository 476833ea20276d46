/** A service without roles whose tables hold the ledgers of accounts of venue_b, as the stage `ledgers` writes them. */
import { createLedgersStage } from '#processors/ledgers/stage';
import { bookEventsTable } from '#schemas/tables/book-events';
import { type FillLoad, fillLoadTopic } from '#schemas/topics/account-fills';
import { FOLLOWED_BLOCK_KEY, type FollowedBlock, followedBlockTopic } from '#schemas/topics/followed-blocks';
import { type FollowedLedger, type LedgerEventRow, ledgerEventTopic, ledgerTopic } from '#schemas/topics/ledgers';
import { type SnapshotHead, snapshotHeadTopic } from '#schemas/topics/nav-snapshots';
import { accountName } from '#schemas/venues/accounts';
import { timeLimit } from '../../../runtime/time-limit.ts';
import type { SimulatedService } from '../../simulated-service.ts';
import { END_MS, openBarsService, recordOf } from '../candles/bars-service.ts';
import { InMemoryStage } from './in-memory-stage.ts';
import { accountAddress, type LedgerRecordsOptions, ledgerRecords } from './ledger-records.ts';

const HOUR_MS = 3_600_000;
const RESPONSE_TIMEOUT_MS = 20_000;
/** All fills are in the tables up to this block. */
const NEWEST_BLOCK: FollowedBlock = { number: 1, hash: '0x1', ts: END_MS, receivedAt: END_MS - 1 };
/** Of an account of venue_a. With it, the views know up to when the stage `ledgers` has worked. */
const OTHER_LOAD: FillLoad = {
  account: accountName('venue_a', accountAddress(0)),
  user: accountAddress(0),
  ledger: 1,
  receivedAt: END_MS,
  knownAt: null,
  loadedAt: null,
  ordersFrom: 0,
  twapsFrom: 0,
  ordersCompleteAt: null,
  twapsCompleteAt: null,
  tradedAt: null,
  missingFrom: null,
  skippedAt: null,
};
/** Rows of one INSERT. */
const BATCH_ROWS = 10_000;

/** Opens it. Each account has a snapshot of the hour. */
export async function openLedgerService(folder: string, options: LedgerRecordsOptions): Promise<SimulatedService> {
  const ledgers: FollowedLedger[] = [];
  const rows: LedgerEventRow[] = [];
  const stage = new InMemoryStage(createLedgersStage(), (topic, value) => {
    if (topic.name === ledgerTopic.name) ledgers.push(value as FollowedLedger);
    else if (topic.name === ledgerEventTopic.name) rows.push(value as LedgerEventRow);
  });
  for (const { topic, value } of ledgerRecords(options)) stage.handle(topic, value);
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const service = await openBarsService(folder, [
    ...ledgers.map((ledger) => recordOf(ledgerTopic, ledger.account, ledger)),
    ...ledgers.map((ledger) => recordOf(snapshotHeadTopic, ledger.account, snapshotOf(ledger, hour))),
    recordOf(followedBlockTopic, FOLLOWED_BLOCK_KEY, NEWEST_BLOCK),
    recordOf(fillLoadTopic, OTHER_LOAD.account, OTHER_LOAD),
  ]);
  try {
    const { store } = service.context;
    for (let from = 0; from < rows.length; from += BATCH_ROWS) {
      const batch = rows.slice(from, from + BATCH_ROWS).map((row, nth) => {
        const place = { topic: ledgerEventTopic.name, partition: 0, offset: from + nth, key: row.account };
        return bookEventsTable.row(row, { ...place, receivedAt: END_MS, seq: from + nth + 1 });
      });
      await store.insert(bookEventsTable.name, batch);
    }
    await store.command(`OPTIMIZE TABLE ${bookEventsTable.name}`);
    return service;
  } catch (error) {
    await service.close();
    throw error;
  }
}

function snapshotOf({ account, ledger }: FollowedLedger, hour: number): SnapshotHead {
  const figures = { navUsd: '1250.5', valueUsd: '1000', availableUsd: '250.5', unrealizedPnlUsd: null };
  return { account, ledger, newest: { account, ledger, hour, asOf: hour, receivedAt: END_MS, ...figures } };
}

/** Name of the `nth` account, from 0. */
export function accountOf(nth: number): string {
  return accountName('venue_b', accountAddress(nth));
}

/** Binds an account by REST. Returns the id of the wallet. Throws for any status but 201. */
export async function bindAccount(url: string, token: string, nth: number): Promise<string> {
  const response = await fetch(`${url}/v1/me/wallets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    signal: timeLimit(RESPONSE_TIMEOUT_MS),
    body: JSON.stringify({ provider: 'venue_b', address: accountAddress(nth), label: '' }),
  });
  if (response.status !== 201) throw new Error(`binding a wallet: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

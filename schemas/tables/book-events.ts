import { type LedgerEventRow, ledgerEventTopic } from '../topics/ledgers.ts';
import { accountFillsTable } from './account-fills.ts';
import { defineTable } from './table.ts';
import { tradesTable } from './trades.ts';

export const bookEventsTable = defineTable<LedgerEventRow>({
  name: 'book_events',
  description: 'What each event of a followed account did to each of its books, newest state of each.',
  holds: 'market',
  orderBy: ['account', 'ledger', 'instrument', 'id', 'part'],
  shardBy: ['account'],
  fromTopics: [ledgerEventTopic],
  // A fill is listed with its trade.
  after: [tradesTable.name, accountFillsTable.name],
  lowCardinality: ['builder'],
  settings: 'index_granularity = 1024',
});

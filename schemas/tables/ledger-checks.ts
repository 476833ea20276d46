import { type LedgerCheck, ledgerCheckTopic } from '../topics/ledger-checks.ts';
import { defineTable } from './table.ts';

export const ledgerChecksTable = defineTable<LedgerCheck>({
  name: 'ledger_checks',
  description: 'Whether ledgers of venue_b and the venue state the same positions, newest comparison of each token.',
  holds: 'market',
  orderBy: ['account', 'ledger', 'instrument'],
  shardBy: ['account'],
  fromTopics: [ledgerCheckTopic],
});

import { type NavSnapshot, navSnapshotTopic } from '../topics/nav-snapshots.ts';
import { defineTable } from './table.ts';

export const navSnapshotsTable = defineTable<NavSnapshot>({
  name: 'nav_snapshots',
  description: 'Hourly snapshots of what followed accounts are worth.',
  holds: 'market',
  orderBy: ['account', 'ledger', 'hour'],
  shardBy: ['account'],
  fromTopics: [navSnapshotTopic],
  settings: 'index_granularity = 1024',
});

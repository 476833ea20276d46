/** Topics of the hourly snapshots of followed accounts: each hour's, and the newest of each account. */
import { decimal, type Infer, nullable, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

const account = text('Venue and address of the account: `<venue>:<address>`.');
const ledger = timestamp('Event time of the binding since which the account is followed, as of its ledger.');

const navSnapshot = record('NavSnapshot', 'What a followed account was worth at an hour mark.', {
  account,
  ledger,
  hour: timestamp('The hour mark.'),
  asOf: timestamp('The time of the value, up to ten minutes after the mark.'),
  receivedAt: timestamp('When the acquisition was received.'),
  navUsd: decimal('All assets.'),
  valueUsd: nullable(decimal('Complete value of venue_a; positions of venue_b, null without any.')),
  availableUsd: nullable(decimal('What can be withdrawn; of venue_b the cash.')),
  unrealizedPnlUsd: nullable(decimal('Over all dexes (venue_a).')),
});
export type NavSnapshot = Infer<typeof navSnapshot>;
export const navSnapshotTopic = defineTopic({
  name: 'derived.nav-snapshots',
  description: 'Hourly snapshots of followed accounts.',
  key: 'account',
  partitions: 4,
  retention: { kind: 'derived' },
  schema: navSnapshot,
});

const snapshotHead = record('SnapshotHead', 'The newest snapshot of a followed account.', {
  account,
  ledger,
  newest: nullable(navSnapshot),
});
export type SnapshotHead = Infer<typeof snapshotHead>;
/**
 * A record exists from the binding on, so that ingest knows which accounts to acquire. That of an account that no binding
 * names any more is removed.
 */
export const snapshotHeadTopic = defineTopic({
  name: 'derived.snapshot-heads',
  description: 'The newest snapshot of each followed account.',
  key: 'account',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: snapshotHead,
});

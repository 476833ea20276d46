/** Topics of comparisons of ledgers of venue_b with the venue's positions: what they showed, and when the next one is due. */
import { flag, type Infer, nullable, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

/** By then after a change of a ledger the venue has the change, too. */
export const VENUE_LAG_MS = 30_000;

const account = text('Venue and address of the account: `<venue>:<address>`.');
const ledger = timestamp('Which ledger of the account: the event time at which it began.');

const ledgerCheck = record('LedgerCheck', 'Whether a ledger and its venue state the same position in a token.', {
  account,
  ledger,
  instrument: text('The token.'),
  receivedAt: timestamp('Event time of the acquisition.'),
  isEqual: flag('The positions differ by 0.01 at most.'),
});
export type LedgerCheck = Infer<typeof ledgerCheck>;
/** Published where a comparison shows something else than the one before. */
export const ledgerCheckTopic = defineTopic({
  name: 'derived.ledger-checks',
  description: "Comparisons of positions in ledgers of venue_b with the venue's.",
  key: 'account',
  partitions: 4,
  retention: { kind: 'derived' },
  schema: ledgerCheck,
});

const ledgerChange = record('LedgerChange', 'When a followed ledger of venue_b last changed, and was last compared.', {
  account,
  ledger,
  changedAt: nullable(timestamp('When it last changed; null if it was compared half a minute later or after that.')),
  checkedAt: nullable(timestamp("When it was last compared with the venue's positions; null before.")),
});
export type LedgerChange = Infer<typeof ledgerChange>;
/** Ingest reads it to know whose positions to request; that of an account that no binding names any more is removed. */
export const ledgerChangeTopic = defineTopic({
  name: 'derived.ledger-changes.venue_b',
  description: 'Which ledgers of venue_b are to be compared with the venue.',
  key: 'account',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: ledgerChange,
});

/** History backfills on their way: what is asked of ingest, which alone asks venues, and what came of it. */
import { type Infer, integer, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

/** Longer than anybody waits, so that whoever takes over knows what was answered. */
const KEPT_HOURS = 24;

const backfill = record('Backfill', 'A wish to have the past fills of a wallet looked up.', {
  id: text('Of the request; its outcome bears it too.'),
  receivedAt: timestamp('Wall time when it was asked.'),
  orgId: text('Whose wish it is: what bounds one organization goes by it.'),
  address: text('The wallet, lower case.'),
  lookbackDays: integer('How far back from the newest block, 1 to 30.'),
});
export type Backfill = Infer<typeof backfill>;

/** Several nodes write it, so its records are unnumbered; the id tells a repeat. */
export const backfillTopic = defineTopic({
  name: 'control.backfills',
  description: 'History backfills that were asked for.',
  key: 'request id',
  partitions: 1,
  retention: { kind: 'hours', hours: KEPT_HOURS },
  schema: backfill,
});

/** Why a backfill came to nothing. */
export const BACKFILL_FAILURES = ['busy', 'no_node', 'node_failed', 'expired'] as const;

const outcome = record('BackfillOutcome', 'What came of a backfill.', {
  id: text('Of the request.'),
  receivedAt: timestamp('Wall time when it was known.'),
  failure: nullable(
    oneOf(
      BACKFILL_FAILURES,
      'Null for a success. `busy`: too many wait; `no_node`: nothing is followed live; `node_failed`: the node gave no answer; `expired`: it waited too long.',
    ),
  ),
  fills: integer('Fills of the wallet in the scanned blocks, told before or not; 0 for a failure.'),
  fromBlock: integer('First scanned block; 0 for a failure.'),
  toBlock: integer('Last scanned block; 0 for a failure.'),
});
export type BackfillOutcome = Infer<typeof outcome>;
export type BackfillFailure = NonNullable<BackfillOutcome['failure']>;

/** Written by whoever holds ingest's lease. */
export const backfillOutcomeTopic = defineTopic({
  name: 'control.backfill-outcomes',
  description: 'What came of history backfills.',
  key: 'request id',
  partitions: 1,
  retention: { kind: 'hours', hours: KEPT_HOURS },
  schema: outcome,
});

/** Requests for history backfills, and their outcomes. Only ingest calls venues, so other roles ask it through the log. */
import { type Infer, integer, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

/** Longer than any caller waits, so that a new leader of ingest knows which requests were answered. */
const RETENTION_HOURS = 24;

const backfill = record('Backfill', 'A request to look up the past fills of a wallet.', {
  id: text('Id of the request; its outcome has the same id.'),
  receivedAt: timestamp('Wall time of the request.'),
  orgId: text('The organization that sent the request; limits apply to each organization.'),
  address: text('The wallet, lower case.'),
  lookbackDays: integer('How far back from the newest block, 1 to 30.'),
});
export type Backfill = Infer<typeof backfill>;

/** Several nodes write it, so its records are unnumbered; a repeated request has the same id. */
export const backfillTopic = defineTopic({
  name: 'control.backfills',
  description: 'Requests for history backfills.',
  key: 'request id',
  partitions: 1,
  retention: { kind: 'hours', hours: RETENTION_HOURS },
  schema: backfill,
});

/** Why a backfill failed. */
const BACKFILL_FAILURES = ['busy', 'no_node', 'node_failed', 'expired'] as const;

const outcome = record('BackfillOutcome', 'The outcome of a backfill.', {
  id: text('Id of the request.'),
  receivedAt: timestamp('Wall time of the outcome.'),
  failure: nullable(
    oneOf(
      BACKFILL_FAILURES,
      'Null for a success. `busy`: too many requests are waiting; `no_node`: no chain node is followed live; `node_failed`: the node did not answer; `expired`: the request waited too long.',
    ),
  ),
  fills: integer('Fills of the wallet in the scanned blocks, published before or not; 0 for a failure.'),
  fromBlock: integer('First scanned block; 0 for a failure.'),
  toBlock: integer('Last scanned block; 0 for a failure.'),
});
export type BackfillOutcome = Infer<typeof outcome>;
export type BackfillFailure = NonNullable<BackfillOutcome['failure']>;

/** Written by the holder of the lease of ingest. */
export const backfillOutcomeTopic = defineTopic({
  name: 'control.backfill-outcomes',
  description: 'Outcomes of history backfills.',
  key: 'request id',
  partitions: 1,
  retention: { kind: 'hours', hours: RETENTION_HOURS },
  schema: outcome,
});

/** Backfills that were requested: how far each came, so that every node can report it and the next process continues it. */
import { type Infer, integer, list, nullable, oneOf, record, text, timestamp, withDefault } from '../avro.ts';
import { defineTopic } from './topic.ts';

/** For how long a backfill is reported. */
export const BACKFILL_RETENTION_HOURS = 24;

const backfill = record('Backfill', 'A backfill of the history of a wallet.', {
  id: text('Id of the backfill.'),
  orgId: text('The organization that requested it.'),
  walletId: text('The wallet.'),
  address: text('Its address, lower case.'),
  lookbackDays: integer('How far back from the newest block at its start.'),
  receivedAt: timestamp('Wall time of this state.'),
  status: oneOf(['queued', 'running', 'done', 'failed'], 'What it is doing.'),
  reason: nullable(text('Why it failed; null otherwise.')),
  firstBlock: nullable(integer('The block at which it will end; null before it runs.')),
  fromBlock: nullable(integer('The first block that was scanned; null before there is one.')),
  toBlock: nullable(integer('The last block that was scanned; null before it runs.')),
  fills: integer('Fills of the wallet in the scanned blocks.'),
  tokens: withDefault(
    list(text('Id of the token'), 'Tokens that it found and of which the resolutions are still to be looked up.'),
    [],
  ),
  startedAt: timestamp('When it was requested.'),
  endedAt: nullable(timestamp('When it ended; null before.')),
});
export type Backfill = Infer<typeof backfill>;

/** Written by the holder of the lease of ingest. The newest record of an id is its state. */
export const backfillTopic = defineTopic({
  name: 'control.backfills',
  description: 'Backfills of wallets and how far each came.',
  key: 'backfill id',
  partitions: 1,
  retention: { kind: 'hours', hours: BACKFILL_RETENTION_HOURS },
  schema: backfill,
});

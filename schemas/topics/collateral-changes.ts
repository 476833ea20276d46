/** Topic of what changed the collateral of accounts of venue_b on the chain, without what they traded. */
import { decimal, type Infer, integer, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

const collateralChange = record(
  'CollateralChange',
  'What a transaction changed of the collateral of an account, or since when all such changes are known.',
  {
    account: text('Address of the account, lower case.'),
    kind: oneOf(
      ['followed', 'changed', 'reverted'],
      '`followed`: the logs of later blocks contain every transfer of the account; `changed`: a transaction changed its collateral; `reverted`: that transaction is in no block any more.',
    ),
    ledger: nullable(timestamp('Of `followed`: event time of the binding that caused it; else null.')),
    ts: timestamp('Block time; of `followed` that of the newest block before.'),
    receivedAt: timestamp('When it was received.'),
    txHash: nullable(text('Transaction hash; null for `followed`.')),
    blockNumber: nullable(integer('Block number; null for `followed`.')),
    blockHash: nullable(text('Block hash; null for `followed`.')),
    usd: nullable(
      decimal('Net change of pUSD and USDC.e in USD, positive when it came in, never 0; null for `followed`.'),
    ),
  },
);
export type CollateralChange = Infer<typeof collateralChange>;

/** `derived.collateral-changes.venue_b`. Of an account that is not followed, not every change is here. */
export const collateralChangeTopic = defineTopic({
  name: 'derived.collateral-changes.venue_b',
  description: 'What changed the collateral of accounts of venue_b, without what they traded.',
  key: 'account',
  partitions: 4,
  retention: { kind: 'derived' },
  schema: collateralChange,
});

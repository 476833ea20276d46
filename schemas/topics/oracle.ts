/** Dispute phases and resolutions of markets, which the normalisers derive from logs of the chain and from catalogs. */
import { decimal, type Infer, integer, list, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { VENUES, type Venue } from '../domain/providers.ts';
import { defineTopic, type Topic } from './topic.ts';

const CHAIN_STATUS = ['pending', 'confirmed', 'reverted'] as const;

const disputePhase = record(
  'DisputePhase',
  'One step of the optimistic oracle: a ProposePrice, DisputePrice or Settle log.',
  {
    id: text('`<provider>:<tx hash>:<log index>`.'),
    provider: text('The provider.'),
    marketId: nullable(text('Condition id; null while the request cannot be tied to a market.')),
    questionId: text('Question id of the adapter that sent the request: the hash of the ancillary data.'),
    phase: oneOf(['propose', 'dispute', 'settle'], 'Which of the three logs.'),
    requestTimestamp: integer('Unix seconds: which request of the question; a reset makes a new one.'),
    proposer: nullable(text('Address, lower case.')),
    disputer: nullable(text('Address, lower case; null before a dispute.')),
    price: nullable(text('"1", "0", "0.5", "ignore", or null for any other value.')),
    ts: timestamp('Block time.'),
    receivedAt: timestamp('When it was received.'),
    blockNumber: integer('Block number.'),
    blockHash: text('Block hash.'),
    txHash: text('Transaction hash.'),
    logIndex: integer('Log index.'),
    status: oneOf(CHAIN_STATUS, '`pending` until deep enough; `reverted` by a reorganization.'),
  },
);
export type DisputePhase = Infer<typeof disputePhase>;
/** A phase is published again under its id when its status or its market changes. */
export const disputeTopic = defineTopic({
  name: 'derived.disputes.venue_b',
  description: 'Proposals, disputes and settlements of the oracle of venue_b.',
  key: 'market, or question where the market is not known',
  partitions: 1,
  retention: { kind: 'derived' },
  schema: disputePhase,
});

export const resolution = record('Resolution', 'How a market was resolved, and what its outcomes pay.', {
  id: text('`<provider>:<tx hash>:<log index>` on chain, `<provider>:<market>` elsewhere.'),
  provider: text('Fine-grained provider.'),
  marketId: text('Condition id (venue_b) or YES coin (venue_a_outcome).'),
  payouts: list(decimal('Fraction of one'), "Payout of each instrument, in the market's own order."),
  resolvedAt: timestamp('Block time on chain; elsewhere when the venue first reported it, by our clock.'),
  decidedAfter: nullable(
    timestamp(
      'Off chain: the decision was made at this time or later, and no later than resolvedAt; null where unknown, and on chain, where resolvedAt is exact.',
    ),
  ),
  receivedAt: timestamp('When it was received.'),
  endTime: nullable(timestamp("The market's own deadline, according to the catalog at that time.")),
  txHash: nullable(text('Transaction hash (chain only).')),
  logIndex: nullable(integer('Log index (chain only).')),
  blockNumber: nullable(integer('Block number (chain only).')),
  blockHash: nullable(text('Block hash (chain only).')),
  status: oneOf(CHAIN_STATUS, 'Chain resolutions are pending until deep enough; others are confirmed.'),
});
export type Resolution = Infer<typeof resolution>;
/** `derived.resolutions.<venue>`; a resolution is published again under its id when its status changes. */
export const resolutionTopics = Object.fromEntries(
  VENUES.map((venue) => [
    venue,
    defineTopic({
      name: `derived.resolutions.${venue}`,
      description: `How markets of ${venue} were resolved.`,
      key: 'market',
      partitions: 1,
      retention: { kind: 'derived' },
      schema: resolution,
    }),
  ]),
) as Record<Venue, Topic<Resolution>>;

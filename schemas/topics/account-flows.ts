/**
 * Topics of the flows of followed accounts: what crossed their border, so that it is neither profit nor loss, and between
 * which times all of it is known. Both venues write the same records.
 */
import { decimal, type Infer, list, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { FLOW_PROBLEMS } from '../domain/returns/flows.ts';
import { PROVIDER_FAMILIES, type ProviderFamily } from '../venues/accounts.ts';
import { defineTopic, type Topic } from './topic.ts';

const account = text('Venue and address of the account: `<venue>:<address>`.');
const ledger = timestamp('Event time of the binding since which the account is followed, as of its ledger.');

const accountFlow = record('AccountFlow', 'What crossed the border of a followed account.', {
  account,
  ledger,
  id: text(
    'Identifies the flow within the account: of venue_a time, hash and number among equal ones; of venue_b the transaction.',
  ),
  state: oneOf(['applied', 'removed'], '`removed`: it does not exist any more, e.g. after a reorganization.'),
  receivedAt: timestamp('Event time of the input that caused it.'),
  ts: timestamp("The venue's time."),
  kind: text("The venue's own word for what happened; `deposit` or `withdraw` on chain."),
  txHash: nullable(text('Hash of the transaction; null without one.')),
  usd: nullable(decimal('USD, positive when value came into the account; null while it is not known.')),
  problem: nullable(
    oneOf(
      FLOW_PROBLEMS,
      'Why the amount is not known: `flow_unpriced`, or `flows_unknown` for what has an unknown meaning. Null if it is known.',
    ),
  ),
});
export type AccountFlow = Infer<typeof accountFlow>;

/** `derived.account-flows.<venue>`. A flow is published again when its amount becomes known or it is removed. */
export const accountFlowTopics = perFamily((venue) =>
  defineTopic({
    name: `derived.account-flows.${venue}`,
    description: `What crossed the border of followed accounts of ${venue}.`,
    key: 'account',
    partitions: 4,
    retention: { kind: 'derived' },
    schema: accountFlow,
  }),
);

const wantedPrice = record('WantedFlowPrice', 'A price that a flow needs.', {
  coin: text('The spot pair of the token with USDC.'),
  ts: timestamp('The time of the flow.'),
});

const flowCoverage = record('FlowCoverage', 'Between which times the flows of a followed account are known.', {
  account,
  ledger,
  receivedAt: timestamp('Event time of the input that caused it.'),
  knownFrom: nullable(timestamp('All flows after this time are known; null if all are from the beginning on.')),
  knownThrough: nullable(
    timestamp('All flows up to this time are known; null if all are that the log contains, as on chain.'),
  ),
  requestFrom: nullable(
    timestamp('Start of the next request for ledger updates (venue_a); null where nothing is requested.'),
  ),
  wantedPrices: list(wantedPrice, 'Prices that flows still need (venue_a), oldest first.'),
});
export type FlowCoverage = Infer<typeof flowCoverage>;

/**
 * `derived.flow-coverage.<venue>`: a record exists from the binding on. Before the first response about an account of
 * venue_a nothing is known: `knownThrough` is 0. That of an account that no binding names any more is removed.
 */
export const flowCoverageTopics = perFamily((venue) =>
  defineTopic({
    name: `derived.flow-coverage.${venue}`,
    description: `Between which times the flows of followed accounts of ${venue} are known.`,
    key: 'account',
    partitions: 1,
    retention: { kind: 'compacted' },
    schema: flowCoverage,
  }),
);

function perFamily<T>(define: (venue: ProviderFamily) => Topic<T>): Record<ProviderFamily, Topic<T>> {
  return Object.fromEntries(PROVIDER_FAMILIES.map((venue) => [venue, define(venue)])) as Record<
    ProviderFamily,
    Topic<T>
  >;
}

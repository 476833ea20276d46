/**
 * Flows of followed accounts of venue_b: each transaction that changed the collateral of an account without a trade. They are
 * known from the block on with which ingest began to read the transfers of the account, or from that of a backfill.
 */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { accountFlowTopics, flowCoverageTopics } from '#schemas/topics/account-flows';
import type { CollateralChange } from '#schemas/topics/collateral-changes';
import { accountName } from '#schemas/venues/accounts';
import type { FollowedAccount, SeriesState } from './state.ts';

export function onCollateralChange(
  { followed }: SeriesState,
  { value, receivedAt }: StageRecord<CollateralChange>,
  emit: Emit,
): void {
  const account = accountName('venue_b', value.account);
  const own = followed.get(account);
  if (!own) return;
  const { ledger } = own;
  const { kind, ts, txHash, usd } = value;
  if (kind === 'followed') {
    // Every start of ingest states it again, and a backfill states an earlier block. What an earlier binding caused does not count.
    if ((own.flowsFrom !== null && ts >= own.flowsFrom) || value.ledger !== ledger) return;
    own.flowsFrom = ts;
    emitChainCoverage(account, own, receivedAt, emit);
    return;
  }
  if (txHash === null || usd === null) return;
  emit(accountFlowTopics.venue_b, account, {
    account,
    ledger,
    id: txHash,
    state: kind === 'changed' ? 'applied' : 'removed',
    receivedAt,
    ts,
    kind: usd.startsWith('-') ? 'withdraw' : 'deposit',
    txHash,
    usd,
    problem: null,
  });
}

/** Before the first block nothing is known; from then on all that the log contains. */
export function emitChainCoverage(
  account: string,
  { ledger, flowsFrom }: Pick<FollowedAccount, 'ledger' | 'flowsFrom'>,
  receivedAt: number,
  emit: Emit,
): void {
  emit(flowCoverageTopics.venue_b, account, {
    account,
    ledger,
    receivedAt,
    knownFrom: flowsFrom,
    knownThrough: flowsFrom === null ? 0 : null,
    requestFrom: null,
    wantedPrices: [],
  });
}

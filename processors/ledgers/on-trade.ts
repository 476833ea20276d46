/** Adds fills of followed accounts of venue_b to their ledgers, and removes those of reverted trades. */
import type { Emit, Slices, StageRecord } from '#infra/stages/stage';
import type { Trade } from '#schemas/topics/normalised';
import { accountName } from '#schemas/venues/accounts';
import { isNewArrival } from '../shared/new-arrivals.ts';
import { changeAccount } from './change-account.ts';
import { type AccountFill, fillsOfTrade } from './fills-of-trade.ts';
import { settlementChanges } from './settlements.ts';
import type { LedgersState } from './state.ts';

/** A repeated trade is a confirmation or a late market id, which change no ledger: pending fills count. */
export function onTrade(state: LedgersState, record: StageRecord<Trade>, emit: Emit): Slices | undefined {
  const { value: trade, receivedAt } = record;
  const isReverted = trade.status === 'reverted';
  if (isNewArrival(state.arrivals, record) === isReverted) return undefined;
  const isFollowed = (address: string) => state.accounts.has(accountName('venue_b', address));
  const fills = fillsOfTrade(trade, receivedAt, isFollowed);
  return fills.length > 0 ? changeAccounts(state, record, fills, emit) : undefined;
}

function* changeAccounts(
  state: LedgersState,
  { value: trade, receivedAt }: StageRecord<Trade>,
  fills: readonly AccountFill[],
  emit: Emit,
): Slices {
  for (const { address, fill } of fills) {
    const changes =
      trade.status === 'reverted'
        ? [{ remove: fill }]
        : [{ put: fill }, ...settlementChanges(state, trade.marketId, receivedAt)];
    yield* changeAccount(state, accountName('venue_b', address), changes, receivedAt, emit);
  }
}

/** Adds fills of followed accounts of venue_b to their ledgers, and removes those of reverted trades. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import type { Trade } from '#schemas/topics/normalised';
import { accountName } from '#schemas/venues/accounts';
import { isNewArrival } from '../shared/new-arrivals.ts';
import { changeAccount } from './change-account.ts';
import { fillsOfTrade } from './fills-of-trade.ts';
import { settlementChanges } from './settlements.ts';
import type { LedgersState } from './state.ts';

/** A repeated trade is a confirmation or a late market id, which change no ledger: pending fills count. */
export function onTrade(state: LedgersState, record: StageRecord<Trade>, emit: Emit): void {
  const { value: trade, receivedAt } = record;
  const isReverted = trade.status === 'reverted';
  if (isNewArrival(state.arrivals, record) === isReverted) return;
  const isFollowed = (address: string) => state.accounts.has(accountName('venue_b', address));
  for (const { address, fill } of fillsOfTrade(trade, receivedAt, isFollowed)) {
    const changes = isReverted
      ? [{ remove: fill }]
      : [{ put: fill }, ...settlementChanges(state, trade.marketId, receivedAt)];
    changeAccount(state, accountName('venue_b', address), changes, receivedAt, emit);
  }
}

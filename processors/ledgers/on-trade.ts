/** Adds fills of followed accounts of venue_b to their ledgers, and removes those of reverted trades. */
import type { Emit, Slices, StageRecord } from '#infra/stages/stage';
import type { Trade } from '#schemas/topics/normalised';
import { isNewArrival } from '../shared/new-arrivals.ts';
import { changeAccount } from './change-account.ts';
import { type AccountFill, fillsOfTrade } from './fills-of-trade.ts';
import { settlementChanges } from './settlements.ts';
import { followedName, type LedgersState } from './state.ts';

/** A repeated trade is a confirmation or a late market id, which change no ledger: pending fills count. */
export function onTrade(state: LedgersState, record: StageRecord<Trade>, emit: Emit): Slices | undefined {
  const { value: trade, receivedAt } = record;
  const isReverted = trade.status === 'reverted';
  if (isNewArrival(state.arrivals, record) === isReverted) return undefined;
  const fills = fillsOfTrade(trade, receivedAt, (address) => followedName(state, address));
  if (fills.length > 1) return changeEach(state, record, fills, emit);
  const [only] = fills;
  return only && changeByFill(state, record, only, emit);
}

function* changeEach(
  state: LedgersState,
  record: StageRecord<Trade>,
  fills: readonly AccountFill[],
  emit: Emit,
): Slices {
  for (const fill of fills) yield* changeByFill(state, record, fill, emit) ?? [];
}

function changeByFill(
  state: LedgersState,
  { value: trade, receivedAt }: StageRecord<Trade>,
  { account, fill }: AccountFill,
  emit: Emit,
): Slices | undefined {
  const changes =
    trade.status === 'reverted'
      ? [{ remove: fill }]
      : [{ put: fill }, ...settlementChanges(state, trade.marketId, receivedAt)];
  return changeAccount(state, account, changes, receivedAt, emit);
}

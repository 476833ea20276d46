/**
 * Adds what a backfill found to the ledger of its wallet, and to no other. An event that is in the ledger already has the
 * same id and place, so it counts once. A ledger that began later would have only a part of what was found. How a market
 * was resolved settles it in the ledgers of all accounts.
 */
import type { Emit, Slices, StageRecord } from '#infra/stages/stage';
import type { BackfilledEvent, Trade } from '#schemas/topics/normalised';
import { accountName } from '#schemas/venues/accounts';
import { changeAccount } from './change-account.ts';
import { fillsOfTrade } from './fills-of-trade.ts';
import { changeByMove } from './on-move.ts';
import { applyResolution, isHeldBy, settlementChanges } from './settlements.ts';
import { followedName, type LedgersState } from './state.ts';

export function onBackfilledEvent(
  state: LedgersState,
  { value: { account: address, ledger, trade, move, resolution }, receivedAt }: StageRecord<BackfilledEvent>,
  emit: Emit,
): Slices | undefined {
  const account = accountName('venue_b', address);
  const own = state.accounts.get(account);
  if (!own || (ledger ?? own.startedAt) !== own.startedAt) return undefined;
  if (resolution) {
    const { marketId } = resolution;
    const changed = applyResolution(state, resolution, receivedAt, emit);
    if (changed || !isHeldBy(state, marketId, account)) return changed;
    // It was known before, when the market of the trades of this wallet was not.
    return changeAccount(state, account, settlementChanges(state, marketId, receivedAt), receivedAt, emit);
  }
  if (move) return changeByMove(state, move, receivedAt, emit);
  if (!trade) return undefined;
  const fills = fillsOfTrade(trade, receivedAt, (other) => (other === address ? account : null));
  const changes = fills.map(({ fill }) => ({ put: fill }));
  const settled = settlementChanges(state, trade.marketId, receivedAt);
  return changeAccount(state, account, [...changes, ...settled], receivedAt, emit);
}

/** Removes the fills of a backfilled trade that was reverted. All else of these trades comes from `BackfilledEvent`. */
export function onBackfilledTrade(
  state: LedgersState,
  { value: trade, receivedAt }: StageRecord<Trade>,
  emit: Emit,
): Slices | undefined {
  if (trade.status !== 'reverted') return undefined;
  const fills = fillsOfTrade(trade, receivedAt, (address) => followedName(state, address));
  return fills.length > 0 ? removeEach(state, fills, receivedAt, emit) : undefined;
}

function* removeEach(
  state: LedgersState,
  fills: ReturnType<typeof fillsOfTrade>,
  receivedAt: number,
  emit: Emit,
): Slices {
  for (const { account, fill } of fills)
    yield* changeAccount(state, account, [{ remove: fill }], receivedAt, emit) ?? [];
}

/** Settles the lots of a market whose outcome is known, whichever of market, trade and resolution comes last. */
import type { Emit, Slices, StageRecord } from '#infra/stages/stage';
import { parseDecimal } from '#schemas/domain/decimal';
import type { Settlement } from '#schemas/domain/ledger/events';
import type { LedgerChange } from '#schemas/domain/ledger/ledger';
import type { Market } from '#schemas/topics/normalised';
import type { Resolution } from '#schemas/topics/oracle';
import { changeAccount } from './change-account.ts';
import { type LedgersState, RETAINED_MS } from './state.ts';

export function onMarket(
  state: LedgersState,
  { value, receivedAt }: StageRecord<Market | null>,
  emit: Emit,
): Slices | undefined {
  // No catalog removes a market; the stage `events` writes a dead letter if one does.
  if (!value || state.instruments.has(value.marketId)) return undefined;
  state.instruments.set(value.marketId, value.instruments);
  return changeHolders(state, value.marketId, settlementChanges(state, value.marketId, receivedAt), receivedAt, emit);
}

export function onResolution(
  state: LedgersState,
  { value, receivedAt }: StageRecord<Resolution>,
  emit: Emit,
): Slices | undefined {
  return applyResolution(state, value, receivedAt, emit);
}

/** Settles the ledgers that hold instruments of a market, or removes their settlement if the resolution is reverted. */
export function applyResolution(
  state: LedgersState,
  value: Resolution,
  receivedAt: number,
  emit: Emit,
): Slices | undefined {
  const { marketId, status, id } = value;
  // Off chain, old outcomes are searched for, and the loaded history of an account contains how it was settled.
  if (value.blockNumber === null && value.resolvedAt < receivedAt - RETAINED_MS) return undefined;
  const known = state.resolutions.get(marketId);
  if (status !== 'reverted') {
    if (known?.id === id && known.blockHash === value.blockHash) return undefined;
    const replaced = removals(state, known, receivedAt);
    state.resolutions.set(marketId, value);
    return changeHolders(
      state,
      marketId,
      [...replaced, ...settlementChanges(state, marketId, receivedAt)],
      receivedAt,
      emit,
    );
  }
  if (known?.id === id && known.blockHash === value.blockHash) {
    state.resolutions.delete(marketId);
    return changeHolders(state, marketId, removals(state, known, receivedAt), receivedAt, emit);
  }
  return undefined;
}

/** Returns the settlement of a market as a change of a ledger; none while something of it is unknown. */
export function settlementChanges(state: LedgersState, marketId: string | null, receivedAt: number): LedgerChange[] {
  const resolution = marketId === null ? undefined : state.resolutions.get(marketId);
  const settlement = resolution && settlementOf(state, resolution, receivedAt);
  return settlement ? [{ put: settlement }] : [];
}

/** True if the ledger of an account has or once contained events of the market. */
export function isHeldBy({ instruments, holders }: LedgersState, marketId: string, account: string): boolean {
  return instruments.get(marketId)?.some((instrument) => holders.get(instrument)?.has(account)) ?? false;
}

function removals(state: LedgersState, resolution: Resolution | undefined, receivedAt: number): LedgerChange[] {
  const settlement = resolution && settlementOf(state, resolution, receivedAt);
  return settlement ? [{ remove: settlement }] : [];
}

function settlementOf({ instruments }: LedgersState, resolution: Resolution, receivedAt: number): Settlement | null {
  const { id, marketId, payouts, resolvedAt, blockNumber, logIndex } = resolution;
  const tokens = instruments.get(marketId);
  if (!tokens) return null;
  return {
    kind: 'settle',
    id,
    // Only outcomes of a chain have a block.
    at: blockNumber ?? resolvedAt,
    index: logIndex ?? 0,
    ts: resolvedAt,
    receivedAt,
    payouts: tokens.map((instrument, at) => ({ instrument, payout: parseDecimal(payouts[at]!) })),
  };
}

/** Changes every ledger with events of the market. */
function changeHolders(
  state: LedgersState,
  marketId: string,
  changes: readonly LedgerChange[],
  receivedAt: number,
  emit: Emit,
): Slices | undefined {
  if (changes.length === 0) return undefined;
  const accounts = new Set<string>();
  for (const instrument of state.instruments.get(marketId)!)
    for (const account of state.holders.get(instrument) ?? []) accounts.add(account);
  return accounts.size > 0 ? changeEach(state, accounts, changes, receivedAt, emit) : undefined;
}

function* changeEach(
  state: LedgersState,
  accounts: ReadonlySet<string>,
  changes: readonly LedgerChange[],
  receivedAt: number,
  emit: Emit,
): Slices {
  for (const account of accounts) yield* changeAccount(state, account, changes, receivedAt, emit) ?? [];
}

/** Changes the ledger of an account, and tracks which accounts an instrument concerns. */
import type { Emit, Slices } from '#infra/stages/stage';
import { instrumentsOf } from '#schemas/domain/ledger/events';
import { changeLedgerInSlices, createLedger, foldLedger, type LedgerChange } from '#schemas/domain/ledger/ledger';
import { emitEnd, emitFillLoad, emitOutcome, emitStart } from './emit-ledger.ts';
import { createFillLoad, releasedBefore } from './fill-load.ts';
import { type LedgersState, RETAINED_MS } from './state.ts';

/** Begins the ledger of an account that is followed from now on. The fills of one of venue_a are loaded. */
export function startAccount(state: LedgersState, account: string, startedAt: number, emit: Emit): void {
  const own = { startedAt, ledger: createLedger() };
  state.accounts.set(account, own);
  emitStart(account, startedAt, emit);
  if (!account.startsWith('venue_a:')) return;
  const load = createFillLoad();
  state.fillLoads.set(account, load);
  state.fills.set(account, new Map());
  emitFillLoad({ account, own, receivedAt: startedAt }, load, emit);
}

/** Ends the ledger of an account that no binding names any more. */
export function endAccount(state: LedgersState, account: string, emit: Emit): void {
  emitEnd(account, state.accounts.get(account)!, emit);
  state.accounts.delete(account);
  state.fillLoads.delete(account);
  state.fills.delete(account);
  for (const [instrument, accounts] of state.holders)
    if (accounts.delete(account) && accounts.size === 0) state.holders.delete(instrument);
}

/** Applies changes to the ledger of a followed account and emits what they did. A late event can change very much. */
export function* changeAccount(
  state: LedgersState,
  account: string,
  changes: readonly LedgerChange[],
  receivedAt: number,
  emit: Emit,
): Slices {
  const own = state.accounts.get(account)!;
  for (const change of changes)
    if ('put' in change) for (const name of instrumentsOf(change.put)) hold(state, name, account);
  yield* emitOutcome({ account, own, receivedAt }, yield* changeLedgerInSlices(own.ledger, changes), emit);
}

/** Folds events that are older than the retained time, and forgets what only they could have needed. */
export function foldAccounts(state: LedgersState, now: number): void {
  const before = now - RETAINED_MS;
  for (const account of state.accounts.keys()) foldAccount(state, account, now);
  for (const [marketId, { resolvedAt }] of state.resolutions) {
    if (resolvedAt >= before) continue;
    state.resolutions.delete(marketId);
    for (const instrument of state.instruments.get(marketId) ?? []) state.holders.delete(instrument);
  }
}

/** Events of a load can be as old as the account: what is still to be loaded is not folded. */
export function foldAccount({ accounts, fillLoads, fills }: LedgersState, account: string, now: number): void {
  const { ledger } = accounts.get(account)!;
  const load = fillLoads.get(account);
  const before = now - RETAINED_MS;
  const isLoading = load?.loadedAt === null;
  foldLedger(ledger, isLoading ? Math.min(before, releasedBefore(load)) : before);
  for (const [id, { copies }] of fills.get(account) ?? []) {
    // They are nearly in order, and those behind a later one are dropped with it.
    if (copies[0]!.fill.time >= ledger.foldedBefore) break;
    fills.get(account)!.delete(id);
  }
}

function hold({ holders }: LedgersState, instrument: string, account: string): void {
  const accounts = holders.get(instrument);
  if (accounts) accounts.add(account);
  else holders.set(instrument, new Set([account]));
}

/** Changes the ledger of an account, and tracks which accounts an instrument concerns. */
import type { Emit, Slices } from '#infra/stages/stage';
import { instrumentsOf } from '#schemas/domain/ledger/events';
import {
  appendToLedger,
  changeLedgerInSlices,
  createLedger,
  foldLedger,
  type LedgerChange,
} from '#schemas/domain/ledger/ledger';
import { accountName } from '#schemas/venues/accounts';
import { endChecks, forgetTokens, recordChanges, startChecks } from './checks.ts';
import { type ChangedAccount, emitEnd, emitFillLoad, emitNewest, emitOutcome, emitStart } from './emit-ledger.ts';
import { createFillLoad, releasedBefore } from './fill-load.ts';
import { type LedgersState, RETAINED_MS } from './state.ts';

/** Begins the ledger of an account that is followed from now on. The fills of one of venue_a are loaded. */
export function startAccount(state: LedgersState, account: string, startedAt: number, emit: Emit): void {
  const own = { startedAt, ledger: createLedger() };
  state.accounts.set(account, own);
  emitStart(account, startedAt, emit);
  startChecks(state, account, startedAt, emit);
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
  for (const [id, move] of state.waitingMoves)
    if (accountName('venue_b', move.account) === account) state.waitingMoves.delete(id);
  state.fills.delete(account);
  endChecks(state, account, emit);
  for (const [instrument, accounts] of state.holders)
    if (accounts.delete(account) && accounts.size === 0) state.holders.delete(instrument);
}

/**
 * Applies changes to the ledger of a followed account and emits what they did. An event that comes after all others is
 * applied at once; any other can change very much, in slices.
 */
export function changeAccount(
  state: LedgersState,
  account: string,
  changes: readonly LedgerChange[],
  receivedAt: number,
  emit: Emit,
): Slices | undefined {
  const own = state.accounts.get(account)!;
  for (const change of changes)
    if ('put' in change) for (const name of instrumentsOf(change.put)) addHolder(state, name, account);
  recordChanges(state, account, changes, receivedAt, emit);
  const changed = { account, own, receivedAt };
  const newest = appendToLedger(own.ledger, changes);
  if (!newest) return changeInSlices(changed, changes, emit);
  emitNewest(changed, newest, emit);
  return undefined;
}

function* changeInSlices(changed: ChangedAccount, changes: readonly LedgerChange[], emit: Emit): Slices {
  yield* emitOutcome(changed, yield* changeLedgerInSlices(changed.own.ledger, changes), emit);
}

/** Folds events that are older than the retained time, and forgets what only they could have needed. */
export function foldAccounts(state: LedgersState, now: number): void {
  const before = now - RETAINED_MS;
  for (const account of state.accounts.keys()) foldAccount(state, account, now);
  for (const [marketId, { resolvedAt }] of state.resolutions) {
    if (resolvedAt >= before) continue;
    state.resolutions.delete(marketId);
    const instruments = state.instruments.get(marketId) ?? [];
    forgetTokens(state, instruments);
    for (const instrument of instruments) state.holders.delete(instrument);
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

function addHolder({ holders }: LedgersState, instrument: string, account: string): void {
  const accounts = holders.get(instrument);
  if (accounts) accounts.add(account);
  else holders.set(instrument, new Set([account]));
}

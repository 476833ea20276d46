/** Changes the ledger of an account, and tracks which accounts an instrument concerns. */
import type { Emit } from '#infra/stages/stage';
import { instrumentsOf } from '#schemas/domain/ledger/events';
import { changeLedger, createLedger, foldLedger, type LedgerChange } from '#schemas/domain/ledger/ledger';
import { accountName } from '#schemas/venues/accounts';
import { emitEnd, emitOutcome, emitStart } from './emit-ledger.ts';
import { type LedgersState, RETAINED_MS } from './state.ts';

/** The venue whose accounts have ledgers so far. */
const VENUE = 'venue_b';

/** Begins the ledger of an account that is followed from now on. */
export function startAccount({ accounts }: LedgersState, address: string, startedAt: number, emit: Emit): void {
  accounts.set(address, { startedAt, ledger: createLedger() });
  emitStart(accountName(VENUE, address), startedAt, emit);
}

/** Ends the ledger of an account that no binding names any more. */
export function endAccount(state: LedgersState, address: string, emit: Emit): void {
  const own = state.accounts.get(address)!;
  emitEnd(accountName(VENUE, address), own, emit);
  state.accounts.delete(address);
  for (const [instrument, addresses] of state.holders)
    if (addresses.delete(address) && addresses.size === 0) state.holders.delete(instrument);
}

/** Applies changes to the ledger of a followed account and emits what they did. */
export function changeAccount(
  state: LedgersState,
  address: string,
  changes: readonly LedgerChange[],
  receivedAt: number,
  emit: Emit,
): void {
  const own = state.accounts.get(address)!;
  for (const change of changes)
    if ('put' in change) for (const name of instrumentsOf(change.put)) hold(state, name, address);
  emitOutcome({ account: accountName(VENUE, address), own, receivedAt }, changeLedger(own.ledger, changes), emit);
}

/** Folds events that are older than the retained time, and forgets what only they could have needed. */
export function foldAccounts(state: LedgersState, now: number): void {
  const before = now - RETAINED_MS;
  for (const { ledger } of state.accounts.values()) foldLedger(ledger, before);
  for (const [marketId, { resolvedAt }] of state.resolutions) {
    if (resolvedAt >= before) continue;
    state.resolutions.delete(marketId);
    for (const instrument of state.instruments.get(marketId) ?? []) state.holders.delete(instrument);
  }
}

function hold({ holders }: LedgersState, instrument: string, address: string): void {
  const addresses = holders.get(instrument);
  if (addresses) addresses.add(address);
  else holders.set(instrument, new Set([address]));
}

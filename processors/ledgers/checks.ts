/**
 * Compares the positions of a ledger of venue_b with the venue's at each acquisition. Tokens are compared until they are
 * settled; one that was never compared counts as one that differs, and so does one that the venue would redeem: its
 * settlement is not in the ledger. Once it is, the size that was compared counts. A token that the venue states and the
 * ledger has no event of differs, too, until the venue has it no longer or would redeem it.
 */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { parseDecimal, ZERO } from '#schemas/domain/decimal';
import { positionOf } from '#schemas/domain/ledger/books';
import { instrumentsOf } from '#schemas/domain/ledger/events';
import type { LedgerChange } from '#schemas/domain/ledger/ledger';
import { differsFromVenue } from '#schemas/domain/ledger/venue-position';
import type { VenueBAcquisition } from '#schemas/topics/accounts';
import { ledgerChangeTopic, ledgerCheckTopic, VENUE_LAG_MS } from '#schemas/topics/ledger-checks';
import type { LedgersState } from './state.ts';

const isChecked = (account: string): boolean => account.startsWith('venue_b:');

export function startChecks({ checks }: LedgersState, account: string, startedAt: number, emit: Emit): void {
  if (!isChecked(account)) return;
  checks.set(account, { changedAt: startedAt, checkedAt: null, tokens: new Map() });
  emit(ledgerChangeTopic, account, { account, ledger: startedAt, changedAt: startedAt, checkedAt: null });
}

export function endChecks({ checks }: LedgersState, account: string, emit: Emit): void {
  if (checks.delete(account)) emit.remove(ledgerChangeTopic, account);
}

/** Records the tokens of changes of a ledger, which of them are settled, and that the ledger is to be compared. */
export function recordChanges(
  { checks, accounts }: LedgersState,
  account: string,
  changes: readonly LedgerChange[],
  receivedAt: number,
  emit: Emit,
): void {
  const own = checks.get(account);
  if (!own) return;
  const { tokens, checkedAt } = own;
  const ledger = accounts.get(account)!.startedAt;
  for (const change of changes) {
    const isPut = 'put' in change;
    const event = isPut ? change.put : change.remove;
    for (const token of instrumentsOf(event)) {
      const known = tokens.get(token);
      if (event.kind === 'settle') {
        const lacked = isPut && known?.lacksSettlement === true;
        const isEqual = lacked ? true : (known?.isEqual ?? null);
        tokens.set(token, { isEqual, lacksSettlement: false, isSettled: isPut });
        if (lacked) emit(ledgerCheckTopic, account, { account, ledger, instrument: token, receivedAt, isEqual: true });
      } else if (!known) tokens.set(token, { isEqual: null, lacksSettlement: false, isSettled: false });
    }
  }
  own.changedAt = receivedAt;
  emit(ledgerChangeTopic, account, { account, ledger, changedAt: receivedAt, checkedAt });
}

/** Forgets tokens that were settled long ago: they are not compared any more. */
export function forgetTokens({ checks, holders }: LedgersState, tokens: readonly string[]): void {
  for (const token of tokens) for (const account of holders.get(token) ?? []) checks.get(account)?.tokens.delete(token);
}

export function onAcquisition(
  { checks, accounts, holders }: LedgersState,
  { value, receivedAt }: StageRecord<VenueBAcquisition>,
  emit: Emit,
): void {
  const { account, positions, asOf } = value;
  const own = checks.get(account);
  if (!own) return;
  const { ledger, startedAt } = accounts.get(account)!;
  const held = new Map(positions.map((position) => [position.asset, position]));
  const isLacked = (instrument: string) => !holders.get(instrument)?.has(account);
  for (const { asset, size, redeemable } of positions)
    if (!own.tokens.has(asset) && !redeemable && isLacked(asset) && differsFromVenue(ZERO, parseDecimal(size)))
      own.tokens.set(asset, { isEqual: null, lacksSettlement: false, isSettled: false });
  for (const [instrument, check] of own.tokens) {
    if (check.isSettled) continue;
    const stated = held.get(instrument);
    // The ledger never settles what it lacks, so this is not compared once the venue would redeem it.
    const isOver = isLacked(instrument) && stated?.redeemable === true;
    const position = isOver ? undefined : stated;
    const size = position ? parseDecimal(position.size) : ZERO;
    const hasSize = !differsFromVenue(positionOf(ledger.books, instrument), size);
    check.lacksSettlement = hasSize && position?.redeemable === true;
    const isEqual = hasSize && !check.lacksSettlement;
    if (isEqual && isLacked(instrument)) own.tokens.delete(instrument);
    if (isEqual === check.isEqual) continue;
    check.isEqual = isEqual;
    emit(ledgerCheckTopic, account, { account, ledger: startedAt, instrument, receivedAt, isEqual });
  }
  own.checkedAt = receivedAt;
  // The venue may not know the change yet, so that it is compared again.
  if (own.changedAt !== null && (asOf ?? receivedAt) >= own.changedAt + VENUE_LAG_MS) own.changedAt = null;
  const { changedAt } = own;
  emit(ledgerChangeTopic, account, { account, ledger: startedAt, changedAt, checkedAt: receivedAt });
}

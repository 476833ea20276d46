/** Notes which token a spot pair trades: a fee that was paid in it never arrived. */
import type { Emit, Slices, StageRecord } from '#infra/stages/stage';
import type { LedgerChange } from '#schemas/domain/ledger/ledger';
import type { Instrument } from '#schemas/topics/normalised';
import { changesOf, fillOf } from './add-fills.ts';
import { changeAccount } from './change-account.ts';
import type { LedgersState } from './state.ts';

export function onInstrument(
  state: LedgersState,
  { key: coin, value, receivedAt }: StageRecord<Instrument | null>,
  emit: Emit,
): Slices | undefined {
  const base = value?.base ?? null;
  const before = state.baseTokens.get(coin) ?? null;
  // Pairs that are not listed any more were traded.
  if (base === null || base === before) return undefined;
  state.baseTokens.set(coin, base);
  const holders = state.holders.get(coin);
  return holders && correctFees(state, coin, before, [...holders], receivedAt, emit);
}

/** Changes the fills of a pair that were applied when its token was unknown, or another one. */
function* correctFees(
  state: LedgersState,
  coin: string,
  before: string | null,
  accounts: readonly string[],
  receivedAt: number,
  emit: Emit,
): Slices {
  for (const account of accounts) {
    const changes: LedgerChange[] = [];
    for (const stored of state.fills.get(account)?.values() ?? []) {
      if (stored.copies[0]!.fill.coin !== coin) continue;
      const former = fillOf(stored, () => before);
      changes.push(...changesOf(state, account, former, stored, emit));
    }
    yield;
    if (changes.length > 0) yield* changeAccount(state, account, changes, receivedAt, emit) ?? [];
  }
}

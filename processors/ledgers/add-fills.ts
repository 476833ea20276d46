/** Adds what sources state about fills of venue_a to the ledger of a followed account. */
import type { Emit, Slices } from '#infra/stages/stage';
import { type LedgerChange, SLICE_EVENTS } from '#schemas/domain/ledger/ledger';
import { accountFillTopic, type VenueAFill } from '#schemas/topics/account-fills';
import { marketOf } from '#schemas/venues/venue-a/coin-market';
import { type BaseOf, fillId, isFeeTraded } from '#schemas/venues/venue-a/fills';
import { isOutcomeCoin } from '#schemas/venues/venue-a/outcome-coin';
import { type BuilderRow, lacksBuilder, nameBuilders, rowKey } from './builder-rows.ts';
import { changeAccount } from './change-account.ts';
import { eventOfFill } from './fill-of-account.ts';
import { addCopy, type FillCopy, isSameFill, mergeCopies } from './merge-copies.ts';
import { settlementChanges } from './settlements.ts';
import type { LedgersState, StoredFill } from './state.ts';

/** Looks up the base token of a spot pair in the state. */
export function baseTokenIn({ baseTokens }: LedgersState): BaseOf {
  return (coin) => baseTokens.get(coin) ?? null;
}

/**
 * Adds copies of fills, and names builders of which a file has the rows. Copies that add nothing to what is known of their
 * fill change nothing.
 */
export function* addFills(
  state: LedgersState,
  account: string,
  fills: readonly (readonly FillCopy[])[],
  receivedAt: number,
  emit: Emit,
): Slices {
  yield* putFills(state, account, fills, receivedAt, emit);
  const unnamed = fills.map((copies) => mergeCopies(copies)).filter(lacksBuilder);
  if (unnamed.length > 0) yield* nameFills(state, account, new Set(unnamed.map(rowKey)), receivedAt, emit);
}

/**
 * Names the builders of fills by the rows of files.
 * @param keys of the fills (`rowKey`).
 */
export function* nameFills(
  state: LedgersState,
  account: string,
  keys: ReadonlySet<string>,
  receivedAt: number,
  emit: Emit,
): Slices {
  const rows = rowsWith(state, account, keys);
  if (rows.length === 0) return;
  const equal: (readonly FillCopy[])[] = [];
  let looked = 0;
  for (const { copies } of state.fills.get(account)!.values()) {
    looked += 1;
    if (looked % SLICE_EVENTS === 0) yield;
    const fill = mergeCopies(copies);
    if (fill.builderFee !== null && keys.has(rowKey(fill))) equal.push(copies);
  }
  equal.sort(([a], [b]) => a!.fill.time - b!.fill.time);
  const named = nameBuilders(equal, rows).map((copy) => [copy]);
  yield* putFills(state, account, named, receivedAt, emit);
}

/**
 * Removes a builder from the fills that rows of its files named, those of some keys. Name the fills of the rows that there
 * are still afterwards.
 */
export function* removeNames(
  state: LedgersState,
  account: string,
  { keys, builder }: { readonly keys: ReadonlySet<string>; readonly builder: string },
  receivedAt: number,
  emit: Emit,
): Slices {
  const stored = state.fills.get(account)!;
  const { foldedBefore } = state.accounts.get(account)!.ledger;
  const baseOf = baseTokenIn(state);
  const changes: LedgerChange[] = [];
  let looked = 0;
  for (const [id, known] of stored) {
    looked += 1;
    if (looked % SLICE_EVENTS === 0) yield;
    const copies = known.copies.filter(({ source, fill }) => source !== 'exports' || fill.builder !== builder);
    if (copies.length === known.copies.length) continue;
    const before = fillOf(known, baseOf);
    // What is folded cannot change any more.
    if (before.time < foldedBefore || !keys.has(rowKey(before))) continue;
    const after = { ...known, copies };
    stored.set(id, after);
    changes.push(...changesOf(state, account, before, after, emit));
  }
  if (changes.length > 0) yield* changeAccount(state, account, changes, receivedAt, emit) ?? [];
}

/** Returns the rows of an account with some keys, in the order of their files. */
function rowsWith({ builderFiles }: LedgersState, account: string, keys: ReadonlySet<string>): BuilderRow[] {
  const files = [...builderFiles].filter(([, file]) => file.seen === file.rowsMax && file.rowsOfKeys.has(account));
  files.sort(([a], [b]) => (a < b ? -1 : 1));
  const rows: BuilderRow[] = [];
  for (const [, { builder, rowsOfKeys }] of files) {
    const own = rowsOfKeys.get(account)!;
    for (const key of keys) for (let left = own.get(key) ?? 0; left > 0; left -= 1) rows.push({ builder, key });
  }
  return rows;
}

function* putFills(
  state: LedgersState,
  account: string,
  fills: readonly (readonly FillCopy[])[],
  receivedAt: number,
  emit: Emit,
): Slices {
  const stored = state.fills.get(account)!;
  const { foldedBefore } = state.accounts.get(account)!.ledger;
  const baseOf = baseTokenIn(state);
  const changes: LedgerChange[] = [];
  for (const [at, copies] of fills.entries()) {
    if (at % SLICE_EVENTS === 0) yield;
    const [first] = copies;
    const id = fillId(first!.fill);
    const known = stored.get(id);
    // What is folded cannot change any more.
    if (known && first!.fill.time < foldedBefore) continue;
    const merged = { copies: copies.reduce(addCopy, known?.copies ?? []), receivedAt: known?.receivedAt ?? receivedAt };
    stored.set(id, merged);
    const before = known ? fillOf(known, baseOf) : null;
    if (before && isSameFill(before, fillOf(merged, baseOf))) continue;
    changes.push(...changesOf(state, account, before, merged, emit));
  }
  if (changes.length > 0) yield* changeAccount(state, account, changes, receivedAt, emit) ?? [];
}

/**
 * Returns the changes of a ledger by which a fill becomes what its sources state now, and emits the fill if it changed.
 * @param before the fill as the ledger has it; null if it has none.
 */
export function changesOf(
  state: LedgersState,
  account: string,
  before: VenueAFill | null,
  stored: StoredFill,
  emit: Emit,
): LedgerChange[] {
  const baseOf = baseTokenIn(state);
  const { receivedAt } = stored;
  const fill = fillOf(stored, baseOf);
  const { startedAt } = state.accounts.get(account)!;
  if (!before || !isSameFill(before, fill))
    emit(accountFillTopic, account, { ...fill, account, ledger: startedAt, id: fillId(fill), receivedAt });
  const event = eventOfFill(fill, receivedAt);
  const former = before && eventOfFill(before, receivedAt);
  return [
    // An event of another kind has another place.
    ...(former && former.kind !== event.kind ? [{ remove: former }] : []),
    { put: event },
    ...(isOutcomeCoin(fill.coin) ? settlementChanges(state, marketOf(fill.coin), receivedAt) : []),
  ];
}

/** Returns a fill as its sources state it. Which token a pair trades is known here, not where a source was read. */
export function fillOf({ copies }: StoredFill, baseOf: BaseOf): VenueAFill {
  const fill = mergeCopies(copies);
  return { ...fill, isFeeTraded: isFeeTraded(fill, baseOf) };
}

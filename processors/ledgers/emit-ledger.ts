/** Emits what a change of a ledger did: the rows of its events, and which books are open. */
import type { Emit, Slices } from '#infra/stages/stage';
import { type Decimal, formatDecimal, formatProduct, multiply, ZERO } from '#schemas/domain/decimal';
import { booksOf, magnitude } from '#schemas/domain/ledger/books';
import type { Effect } from '#schemas/domain/ledger/effect';
import { instrumentsOf, type LedgerEvent } from '#schemas/domain/ledger/events';
import { type AppliedEvent, type LedgerOutcome, SLICE_EVENTS } from '#schemas/domain/ledger/ledger';
import { openChangeOf } from '#schemas/domain/ledger/open-position';
import { fillLoadTopic } from '#schemas/topics/account-fills';
import { type LedgerEventRow, ledgerEventTopic, ledgerTopic, openBookTopic } from '#schemas/topics/ledgers';
import { type FillLoad, missingFrom } from './fill-load.ts';
import type { AccountLedger } from './state.ts';

/** An account as topics name it, with its ledger and the event time of the input that changed it. */
export interface ChangedAccount {
  readonly account: string;
  readonly own: AccountLedger;
  readonly receivedAt: number;
}

/** An event with its number among those at its place. */
type EventInOrder = Pick<AppliedEvent, 'event' | 'nth'>;

export function emitStart(account: string, startedAt: number, emit: Emit): void {
  emit(ledgerTopic, account, { account, ledger: startedAt });
}

/** Emits what an event did that comes after all others. */
export function emitNewest(changed: ChangedAccount, applied: AppliedEvent, emit: Emit): void {
  const { effects } = applied;
  for (let part = 0; part < effects.length; part += 1) emitRow(changed, applied, effects[part]!, part, emit);
  const books = effects.length > 1 ? effects.filter(isFirstOfBook) : effects;
  for (const effect of books) emitBook(changed, effect, false, emit);
}

export function* emitOutcome(changed: ChangedAccount, outcome: LedgerOutcome, emit: Emit): Slices {
  const { written, removed, previous, refused } = outcome;
  const rebuilt = removed.length > 0 || previous.some((before) => before !== null);
  const touched = new Map<string, Effect>();
  const touch = ({ effects }: AppliedEvent) => {
    for (const effect of effects) touched.set(bookKey(changed.account, effect.instrument, effect.builder), effect);
  };
  for (const [at, applied] of written.entries()) {
    if (at % SLICE_EVENTS === 0) yield;
    const before = previous[at];
    touch(applied);
    for (const [part, effect] of applied.effects.entries()) emitRow(changed, applied, effect, part, emit);
    if (!before) continue;
    touch(before);
    emitRemoved(changed, before, applied.effects, emit);
  }
  for (const [at, applied] of removed.entries()) {
    if (at % SLICE_EVENTS === 0) yield;
    touch(applied);
    emitRemoved(changed, applied, [], emit);
  }
  for (const event of refused) emitRefused(changed, event, emit);
  for (const effect of touched.values()) emitBook(changed, effect, rebuilt, emit);
}

/** States how far the fills of an account are loaded. */
export function emitFillLoad({ account, own, receivedAt }: ChangedAccount, load: FillLoad, emit: Emit): void {
  const { orders, twaps } = load.lists;
  emit(fillLoadTopic, account, {
    account,
    user: account.slice(account.indexOf(':') + 1),
    ledger: own.startedAt,
    receivedAt,
    knownAt: load.knownAt,
    loadedAt: load.loadedAt,
    ordersFrom: orders.from,
    twapsFrom: twaps.from,
    ordersCompleteAt: orders.completeAt,
    twapsCompleteAt: twaps.completeAt,
    tradedAt: load.tradedAt,
    missingFrom: missingFrom(load),
    skippedAt: load.skippedAt,
  });
}

/** Removes a ledger that ends, with its books. Its rows remain; rows of an ended ledger are not read. */
export function emitEnd(account: string, { ledger }: AccountLedger, emit: Emit): void {
  emit.remove(ledgerTopic, account);
  if (account.startsWith('venue_a:')) emit.remove(fillLoadTopic, account);
  for (const [instrument, { books }] of ledger.books.holdings)
    for (const { builder } of books) emit.remove(openBookTopic, bookKey(account, instrument, builder));
}

/** True for the first effect on each book of an event. */
function isFirstOfBook({ instrument, builder }: Effect, at: number, effects: readonly Effect[]): boolean {
  return effects.findIndex((other) => other.instrument === instrument && other.builder === builder) === at;
}

function bookKey(account: string, instrument: string, builder: string | null): string {
  return `${account} ${instrument} ${builder ?? ''}`;
}

function emitRow(changed: ChangedAccount, place: EventInOrder, effect: Effect, part: number, emit: Emit): void {
  emit(ledgerEventTopic, changed.account, rowOf(changed, place, effect, part, 'applied'));
}

/**
 * Marks the rows of an event as removed that no row replaces: a part that is none any more, or one of another instrument.
 * @param now what the event does instead.
 */
function emitRemoved(changed: ChangedAccount, applied: AppliedEvent, now: readonly Effect[], emit: Emit): void {
  for (const [part, effect] of applied.effects.entries())
    if (now[part]?.instrument !== effect.instrument)
      emit(ledgerEventTopic, changed.account, rowOf(changed, applied, effect, part, 'removed'));
}

/** Writes rows without quantities for an event that came too late, which make its books partial. */
function emitRefused(changed: ChangedAccount, event: LedgerEvent, emit: Emit): void {
  const late = { ...event, id: `${event.id}:late` };
  const builder = event.kind === 'fill' ? event.builder : null;
  for (const [part, instrument] of instrumentsOf(event).entries()) {
    const nothing = { qty: ZERO, price: null, realized: null, closes: [], opens: null, grows: null, partial: true };
    emitRow(changed, { event: late, nth: 0 }, { kind: event.kind, instrument, builder, ...nothing }, part, emit);
  }
}

function rowOf(
  { account, own }: ChangedAccount,
  { event, nth }: EventInOrder,
  effect: Effect,
  part: number,
  state: LedgerEventRow['state'],
): LedgerEventRow {
  const { id, at, index, ts, receivedAt } = event;
  const { kind, instrument, builder, qty, price, opens, grows, realized, partial, closes } = effect;
  const open = openChangeOf(effect);
  const qtyText = formatDecimal(qty);
  const textOfPart = (part: Decimal) => (part === qty ? qtyText : formatDecimal(part));
  // Only fills have a notional and a fee; a refused one counts with neither.
  const fill = event.kind === 'fill' && kind === 'fill' && qty !== ZERO ? event : null;
  const trade = event.kind === 'fill' ? event.trade : null;
  // Each field by name: with objects spread into it, a row takes several times as long.
  return {
    account,
    ledger: own.startedAt,
    id,
    part,
    state,
    kind,
    at,
    index,
    nth,
    ts,
    receivedAt,
    instrument,
    builder,
    qty: qtyText,
    price: textOf(price),
    opened: textOfPart(opens?.qty ?? ZERO),
    enlarged: grows?.openedBy ?? null,
    longQty: textOfPart(open.longQty),
    knownQty: textOfPart(open.knownQty),
    knownCost: formatProduct(open.knownCost),
    realized: textOf(realized),
    notional: fill === null ? '0' : formatDecimal(multiply(magnitude(fill.qty) as Decimal, fill.price)),
    fee: fill === null ? '0' : textOf(fill.fee),
    role: trade === null ? null : trade.role,
    tradedInstrument: trade === null ? null : trade.instrument,
    partial,
    closes: closes.map((lot) => ({ openedBy: lot.openedBy, qty: formatDecimal(lot.qty) })),
  };
}

/** A book is published when it opens, and when it is rebuilt: what is open in it follows from the rows. */
function emitBook(
  { account, own, receivedAt }: ChangedAccount,
  { instrument, builder }: Pick<Effect, 'instrument' | 'builder'>,
  rebuilt: boolean,
  emit: Emit,
): void {
  const book = booksOf(own.ledger.books, instrument).find((candidate) => candidate.builder === builder);
  if (book?.isPublished && !rebuilt) return;
  const key = bookKey(account, instrument, builder);
  if (!book) {
    emit.remove(openBookTopic, key);
    return;
  }
  book.isPublished = true;
  emit(openBookTopic, key, { account, ledger: own.startedAt, instrument, builder, receivedAt, rebuilt });
}

function textOf(value: Decimal | null): string | null {
  return value === null ? null : formatDecimal(value);
}

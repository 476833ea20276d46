/** Makes effects from the parts of lots that an event closed and the lots that it opened. */
import { type Decimal, divideHalfEven, UNIT, ZERO } from '../decimal.ts';
import { type Books, type ClosedPart, openLot } from './books.ts';
import type { Effect } from './effect.ts';
import type { LedgerEvent } from './events.ts';
import { type Lot, quantityOf } from './lots.ts';

/** Returns what was realized by closing parts at a price, rounded once; parts of unknown cost are left out. */
export function realizedOf(closes: readonly Lot[], price: Decimal): Decimal | null {
  let exact = 0n;
  let isKnown = closes.length === 0;
  for (const part of closes) {
    if (part.price === null) continue;
    isKnown = true;
    exact += part.qty * (price - part.price);
  }
  return isKnown ? (divideHalfEven(exact, UNIT) as Decimal) : null;
}

/** Creates the effect of closing parts of one book at a price and opening a lot with the rest. */
export function tradeEffect(
  kind: Effect['kind'],
  instrument: string,
  builder: string | null,
  { price, closes, opens }: { price: Decimal; closes: readonly Lot[]; opens: Lot | null },
): Effect {
  return {
    kind,
    instrument,
    builder,
    qty: ((opens?.qty ?? 0n) - quantityOf(closes)) as Decimal,
    price,
    realized: realizedOf(closes, price),
    closes,
    opens,
    grows: null,
    partial: closes.some((part) => part.price === null),
  };
}

/** Creates the effect of a lot that is opened without a trade. */
export function openingEffect(kind: Effect['kind'], instrument: string, builder: string | null, opens: Lot): Effect {
  const { qty, price } = opens;
  const partial = price === null;
  return { kind, instrument, builder, qty, price, realized: ZERO, closes: [], opens, grows: null, partial };
}

/** Adds an opening to the effect of the same book, if there is one. */
export function addOpening(effects: Effect[], opening: Effect): void {
  const { instrument, builder, opens } = opening;
  const at = effects.findIndex((effect) => effect.instrument === instrument && effect.builder === builder);
  const effect = effects[at];
  if (!effect) effects.push(opening);
  else {
    const qty = (effect.qty + opening.qty) as Decimal;
    effects[at] = { ...effect, qty, opens, partial: effect.partial || opening.partial };
  }
}

/** Creates the effect of removing parts of one book at their cost, which realizes nothing. */
export function removalEffect(
  kind: Effect['kind'],
  instrument: string,
  builder: string | null,
  closes: readonly Lot[],
): Effect {
  return {
    kind,
    instrument,
    builder,
    qty: -quantityOf(closes) as Decimal,
    price: null,
    realized: ZERO,
    closes,
    opens: null,
    grows: null,
    partial: kind === 'unseen' || closes.some((part) => part.price === null),
  };
}

/** Opens a lot for an event in the book without builder. */
export function openUnattributed(
  books: Books,
  event: LedgerEvent,
  instrument: string,
  qty: Decimal,
  price: Decimal | null,
): Lot {
  return openLot(books, instrument, null, { openedBy: event.id, openedAt: event.ts, qty, price });
}

/** Groups closed parts by book, in the order in which the books were first touched. */
export function partsByBook(closed: readonly ClosedPart[]): Map<string | null, Lot[]> {
  const byBook = new Map<string | null, Lot[]>();
  for (const { builder, part } of closed) {
    const own = byBook.get(builder);
    if (own) own.push(part);
    else byBook.set(builder, [part]);
  }
  return byBook;
}

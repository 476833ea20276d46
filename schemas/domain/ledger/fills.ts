/** Applies fills, and what the venue did not report as fills before them. */
import { type Decimal, ZERO } from '../decimal.ts';
import {
  type Books,
  closeNewest,
  closeOldest,
  closeOldestOf,
  enlargeLot,
  magnitude,
  newestLotOf,
  openLot,
  positionOf,
} from './books.ts';
import type { Effect } from './effect.ts';
import { addOpening, openingEffect, openUnattributed, partsByBook, removalEffect, tradeEffect } from './effects.ts';
import type { Fill } from './events.ts';
import { quantityOf } from './lots.ts';

/** A position may differ by 10^-6, or by 10^-8 of itself, since the venue rounds it. */
const ROUNDING = 10n ** 12n;
const ROUNDING_SHARE = 10n ** 8n;

export function applyFill(books: Books, event: Fill): Effect[] {
  const { id, ts, instrument, builder, price } = event;
  const unseen = event.startPosition === null ? null : matchPosition(books, event, event.startPosition);
  const moved = movedBy(event);
  const closes = closeOldestOf(books, instrument, builder, moved < 0n, magnitude(moved));
  const rest = (moved + quantityOf(closes)) as Decimal;
  const opens =
    rest === ZERO ? null : openLot(books, instrument, builder, { openedBy: id, openedAt: ts, qty: rest, price });
  const effect = tradeEffect('fill', instrument, builder, { price, closes, opens });
  return unseen ? unseen.concat(effect) : [effect];
}

/** Returns by how much a fill changes the position: a fee in the bought token never arrives. */
export function movedBy({ qty, feeQty }: Fill): Decimal {
  return (qty - feeQty) as Decimal;
}

/** Returns whether two positions differ by no more than the venue's rounding. */
export function isRounding(difference: bigint, position: bigint): boolean {
  const share = magnitude(position) / ROUNDING_SHARE;
  return magnitude(difference) <= (share > ROUNDING ? share : ROUNDING);
}

/** Makes the position what the venue states it was before a fill. */
function matchPosition(books: Books, event: Fill, stated: Decimal): Effect[] {
  const { instrument } = event;
  const position = positionOf(books, instrument);
  const difference = stated - position;
  if (difference === 0n) return [];
  if (isRounding(difference, stated)) return addRounding(books, event, difference);
  const isShortfall = position !== 0n && difference > 0n !== position > 0n;
  const removed = isShortfall
    ? closeOldest(books, instrument, position > 0n, smaller(magnitude(difference), magnitude(position)))
    : [];
  const effects = [...partsByBook(removed)].map(([builder, parts]) =>
    removalEffect('unseen', instrument, builder, parts),
  );
  const surplus = stated - positionOf(books, instrument);
  if (surplus !== 0n) {
    const opens = openUnattributed(books, event, instrument, surplus as Decimal, null);
    addOpening(effects, openingEffect('unseen', instrument, null, opens));
  }
  return effects;
}

/** Adds the venue's rounding to the newest lot, or to those before it if it is smaller. Without lots it is left out. */
function addRounding(books: Books, { instrument }: Fill, difference: bigint): Effect[] {
  const effects: Effect[] = [];
  for (let left = difference; left !== 0n; ) {
    const newest = newestLotOf(books, instrument);
    if (!newest) break;
    const { book, lot } = newest;
    const isGrowth = left > 0n === lot.qty > 0n;
    const closed = isGrowth ? null : closeNewest(books, instrument, newest, magnitude(left));
    const qty = (closed ? -closed.qty : left) as Decimal;
    if (isGrowth) enlargeLot(books, instrument, newest, qty);
    effects.push({
      kind: 'unseen',
      instrument,
      builder: book.builder,
      qty,
      price: lot.price,
      realized: ZERO,
      closes: closed ? [closed] : [],
      opens: null,
      grows: isGrowth ? { openedBy: lot.openedBy, n: lot.n, qty } : null,
      partial: false,
    });
    left -= qty;
  }
  return effects;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

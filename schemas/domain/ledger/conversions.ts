/** Applies conversions: NO tokens of several questions become the YES tokens of the others, and collateral. */
import { type Decimal, divideHalfEven, UNIT } from '../decimal.ts';
import { type Books, closeOldest } from './books.ts';
import type { Effect } from './effect.ts';
import { addOpening, openingEffect, openUnattributed, partsByBook, removalEffect } from './effects.ts';
import type { Conversion } from './events.ts';
import { exactCostOf, type Lot, quantityOf } from './lots.ts';

interface Removal {
  readonly effects: Effect[];
  /** All parts that were removed, in order. */
  readonly parts: Lot[];
  /** The effect of the last removed part; -1 if nothing was removed. */
  last: number;
  isMissing: boolean;
}

export function applyConversion(books: Books, event: Conversion): Effect[] {
  const { removed, received, qty } = event;
  const removal: Removal = { effects: [], parts: [], last: -1, isMissing: false };
  for (const instrument of removed) removeLots(books, event, instrument, removal);
  const cost = removal.isMissing ? null : exactCostOf(removal.parts);
  // With 36 decimals, as the product of a price and a quantity.
  const amount = cost === null ? null : cost - BigInt(removed.length - 1) * qty * UNIT;
  const isRealized = amount !== null && (received.length === 0 || amount < 0n);
  const effects = [...removal.effects];
  if (removal.last !== -1 && (isRealized || received.length === 0)) {
    const realized = amount === null ? null : (divideHalfEven(-amount, UNIT) as Decimal);
    effects[removal.last] = { ...effects[removal.last]!, realized, partial: realized === null };
  }
  for (const instrument of received) {
    const opens = openUnattributed(books, event, instrument, qty, priceOfReceived(event, isRealized ? 0n : amount));
    effects.push(openingEffect('convert', instrument, null, opens));
  }
  return effects;
}

/** Spreads an amount over the received tokens. */
function priceOfReceived({ received, qty }: Conversion, amount: bigint | null): Decimal | null {
  return amount === null ? null : (divideHalfEven(amount, qty * BigInt(received.length)) as Decimal);
}

/** Removes the oldest lots of a NO token at cost; what no lot covers is a lot of unknown cost of the other sign. */
function removeLots(books: Books, event: Conversion, instrument: string, removal: Removal): void {
  const closed = closeOldest(books, instrument, true, event.qty);
  const lastBuilder = closed.at(-1)?.builder;
  for (const [builder, parts] of partsByBook(closed)) {
    if (builder === lastBuilder) removal.last = removal.effects.length;
    removal.effects.push(removalEffect('convert', instrument, builder, parts));
  }
  const parts = closed.map(({ part }) => part);
  removal.parts.push(...parts);
  const missing = (quantityOf(parts) - event.qty) as Decimal;
  if (missing === 0n) return;
  removal.isMissing = true;
  const opens = openUnattributed(books, event, instrument, missing, null);
  addOpening(removal.effects, openingEffect('convert', instrument, null, opens));
}

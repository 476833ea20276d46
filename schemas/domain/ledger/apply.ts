/** Applies one event to the books of an account. */
import { type Decimal, divide, UNIT } from '../decimal.ts';
import { type Books, booksOf, closeOldest, lotsOf, magnitude } from './books.ts';
import { applyConversion } from './conversions.ts';
import type { Effect } from './effect.ts';
import { openingEffect, openUnattributed, partsByBook, tradeEffect } from './effects.ts';
import type { LedgerEvent, Settlement, SplitOrMerge } from './events.ts';
import { applyFill } from './fills.ts';
import { quantityOf } from './lots.ts';

/** Applies an event and returns what it did, book by book. */
export function applyEvent(books: Books, event: LedgerEvent): Effect[] {
  switch (event.kind) {
    case 'fill':
      return applyFill(books, event);
    case 'split':
      return applySplit(books, event);
    case 'merge':
      return applyMerge(books, event);
    case 'convert':
      return applyConversion(books, event);
    case 'settle':
      return applySettlement(books, event);
  }
}

function applySplit(books: Books, event: SplitOrMerge): Effect[] {
  const price = priceOfOne(event);
  return event.instruments.map((instrument) =>
    openingEffect('split', instrument, null, openUnattributed(books, event, instrument, event.qty, price)),
  );
}

/** Sells the oldest lots of each outcome; what no lot covers is sold by the book without builder. */
function applyMerge(books: Books, event: SplitOrMerge): Effect[] {
  const price = priceOfOne(event);
  return event.instruments.flatMap((instrument) => {
    const byBook = partsByBook(closeOldest(books, instrument, true, event.qty));
    const covered = [...byBook.values()].reduce((sum, parts) => sum + quantityOf(parts), 0n);
    const missing = (covered - event.qty) as Decimal;
    const opens = missing === 0n ? null : openUnattributed(books, event, instrument, missing, price);
    if (opens && !byBook.has(null)) byBook.set(null, []);
    return [...byBook].map(([builder, closes]) =>
      tradeEffect('merge', instrument, builder, { price, closes, opens: builder === null ? opens : null }),
    );
  });
}

/** Closes every lot at its payout. */
function applySettlement(books: Books, event: Settlement): Effect[] {
  return event.payouts.flatMap(({ instrument, payout }) => {
    const open = booksOf(books, instrument).map((book) => ({ builder: book.builder, lots: lotsOf(book) }));
    for (const isLong of [true, false]) closeAll(books, instrument, isLong);
    return open.map(({ builder, lots }) =>
      tradeEffect('settle', instrument, builder, { price: payout, closes: lots, opens: null }),
    );
  });
}

function closeAll(books: Books, instrument: string, isLong: boolean): void {
  const lots = booksOf(books, instrument).flatMap(({ longs, shorts }) => (isLong ? longs : shorts));
  closeOldest(books, instrument, isLong, magnitude(quantityOf(lots)));
}

/** Returns the price of one outcome of a complete set. */
function priceOfOne({ instruments }: SplitOrMerge): Decimal {
  return divide(UNIT, (BigInt(instruments.length) * UNIT) as Decimal);
}

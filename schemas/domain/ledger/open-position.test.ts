import { expect, it } from 'vitest';
import { formatDecimal } from '../decimal.ts';
import { booksOf, lotsOf } from './books.ts';
import type { LedgerEvent } from './events.ts';
import { decimal, fill, splitOrMerge } from './ledger.fixture.ts';
import { changeLedger, createLedger } from './ledger.ts';
import { NOTHING_OPEN, openPositionOf, sumsOf } from './open-position.ts';
import { unrealizedOf } from './unrealized.ts';

function openAfter(...events: LedgerEvent[]) {
  const ledger = createLedger();
  changeLedger(
    ledger,
    events.map((put) => ({ put })),
  );
  const { qty, knownQty, knownCost, avgCost } = openPositionOf(sumsOf(lotsOf(booksOf(ledger.books, 'T')[0]!)));
  return [qty, knownQty, knownCost, avgCost].map((value) => (value === null ? null : formatDecimal(value)));
}

it('openPositionOf returns the quantity, the cost and the average of open lots', () => {
  expect(openAfter(fill(1, 'T', 1, '0.1'), fill(2, 'T', 2, '0.2'))).toEqual(['3', '3', '0.5', '0.166666666666666667']);
  expect(openAfter(fill(1, 'T', -2, '0.25'))).toEqual(['-2', '-2', '-0.5', '0.25']);
});

it('openPositionOf leaves lots of unknown cost out of the cost, and states no average', () => {
  expect(openAfter(fill(1, 'T', 1, '0.5', { start: 4 }))).toEqual(['5', '1', '0.5', null]);
});

it('openPositionOf states no average where lots of both signs are open', () => {
  const events = [fill(1, 'T', -1, '0.6'), splitOrMerge('split', 2, ['T', 'U'], 1)];
  expect(openAfter(...events)).toEqual(['0', '0', '-0.1', null]);
});

it('openPositionOf returns zero quantity and no average for a book without lots', () => {
  const nothing = { qty: 0n, knownQty: 0n, knownCost: 0n, avgCost: null };
  expect(openPositionOf(NOTHING_OPEN)).toEqual(nothing);
});

it('unrealizedOf returns what lots of known cost would realize, rounded once', () => {
  const lot = (qty: string, price: string | null) => ({
    qty: decimal(qty),
    price: price === null ? null : decimal(price),
  });
  const lots = [lot('3', '0.4'), lot('-1', '0.7'), lot('5', null)];
  expect(formatDecimal(unrealizedOf(sumsOf(lots), decimal('0.5')))).toBe('0.5');
  const third = lot('0.5', '0.333333333333333333');
  expect(formatDecimal(unrealizedOf(sumsOf([third, third]), decimal('1')))).toBe('0.666666666666666667');
});

import { expect, it } from 'vitest';
import { formatDecimal } from '../decimal.ts';
import { booksOf } from './books.ts';
import type { LedgerEvent } from './events.ts';
import { fill, splitOrMerge } from './ledger.fixture.ts';
import { changeLedger, createLedger } from './ledger.ts';
import { openPositionOf } from './open-position.ts';

function openAfter(...events: LedgerEvent[]) {
  const ledger = createLedger();
  changeLedger(
    ledger,
    events.map((put) => ({ put })),
  );
  const { qty, knownQty, knownCost, avgCost } = openPositionOf(booksOf(ledger.books, 'T')[0]!);
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

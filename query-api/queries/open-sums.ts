import { parseDecimal, parseProduct } from '#schemas/domain/decimal';
import type { OpenSums } from '#schemas/domain/ledger/open-position';

/** Exact text. */
export interface OpenRow {
  readonly openQty: string;
  readonly openLongQty: string;
  readonly openKnownQty: string;
  readonly openKnownCost: string;
}

/** SELECT list over all rows of a book in `book_events AS l`: what is open. */
export const OPEN_SUMS = `sum(l.qty) AS openQty, sum(l.longQty) AS openLongQty, sum(l.knownQty) AS openKnownQty,
  sum(l.knownCost) AS openKnownCost`;

export function readOpenSums({ openQty, openLongQty, openKnownQty, openKnownCost }: OpenRow): OpenSums {
  return {
    qty: parseDecimal(openQty),
    longQty: parseDecimal(openLongQty),
    knownQty: parseDecimal(openKnownQty),
    knownCost: parseProduct(openKnownCost),
  };
}

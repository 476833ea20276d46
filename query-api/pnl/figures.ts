/** Figures of books and their sums. An unknown part is left out of a sum; a sum of unknown parts alone is unknown. */
import { type Decimal, multiply } from '#schemas/domain/decimal';
import { hasLots, type OpenSums } from '#schemas/domain/ledger/open-position';
import { unrealizedOf } from '#schemas/domain/ledger/unrealized';
import { sumKnown } from '#schemas/domain/sum-known';
import type { OutcomeToken } from '../queries/markets-of-tokens.ts';

/** One book of an account: what its events in a window sum to, and what is open. */
export interface BookFigures {
  readonly account: string;
  readonly instrument: string;
  readonly builder: string | null;
  readonly realized: Decimal | null;
  readonly notional: Decimal;
  readonly trades: number;
  /** Null if one is unknown. */
  readonly fees: Decimal | null;
  readonly open: OpenSums;
  /** True if its figures leave something out. */
  readonly isPartial: boolean;
}

/** A book with the price and the market of its instrument, where they are known. */
export interface PricedBook extends BookFigures {
  readonly mark: Decimal | null;
  readonly token: OutcomeToken | null;
}

export interface Figures {
  readonly realized: Decimal | null;
  readonly unrealized: Decimal | null;
  /** USD at the marks. */
  readonly openPosition: Decimal | null;
  readonly totalNotional: Decimal | null;
  readonly tradeCount: number | null;
  readonly fees: Decimal | null;
  /** Open books without a mark. */
  readonly unpriced: number;
}

/** The figures of accounts of which nothing is known yet. */
export const UNKNOWN: Figures = {
  realized: null,
  unrealized: null,
  openPosition: null,
  totalNotional: null,
  tradeCount: null,
  fees: null,
  unpriced: 0,
};

export function sumOfBooks(books: readonly PricedBook[]): Figures {
  const held = books.filter(({ open }) => hasLots(open));
  return {
    realized: sumKnown(books.map(({ realized }) => realized)),
    unrealized: sumKnown(held.map(({ open, mark }) => (mark === null ? null : unrealizedOf(open, mark)))),
    openPosition: sumKnown(held.map(({ open, mark }) => (mark === null ? null : multiply(open.qty, mark)))),
    totalNotional: sumKnown(books.map(({ notional }) => notional)),
    tradeCount: books.reduce((sum, { trades }) => sum + trades, 0),
    fees: books.some(({ fees }) => fees === null) ? null : sumKnown(books.map(({ fees }) => fees)),
    unpriced: held.filter(({ mark }) => mark === null).length,
  };
}

/** Events for tests, and a form of a ledger's results that can be compared and read. */
import { type Decimal, formatDecimal, parseDecimal, ZERO } from '../decimal.ts';
import { lotsOf } from './books.ts';
import type { Conversion, Fill, Settlement, SplitOrMerge } from './events.ts';
import type { AppliedEvent, Ledger } from './ledger.ts';
import type { NaiveResult } from './naive-ledger.fixture.ts';

export const decimal = (value: string | number): Decimal => parseDecimal(String(value));

interface Place {
  readonly id?: string;
  readonly index?: number;
}

const base = (kind: string, at: number, { id, index = 0 }: Place) => ({
  id: id ?? `${kind}-${at}-${index}`,
  at,
  index,
  ts: at * 1000,
  receivedAt: at * 1000 + 1,
});

/** A fill at a place: `fill(3, 'T', 10, '0.4')` buys 10, a negative quantity sells. */
export function fill(
  at: number,
  instrument: string,
  qty: string | number,
  price: string | number,
  more: Place & { builder?: string; feeQty?: string; start?: string | number; tie?: number } = {},
): Fill {
  const { builder = null, feeQty = '0', start, tie = 0 } = more;
  return {
    ...base('fill', at, more),
    kind: 'fill',
    instrument,
    builder,
    qty: decimal(qty),
    feeQty: decimal(feeQty),
    price: decimal(price),
    fee: ZERO,
    startPosition: start === undefined ? null : decimal(start),
    trade: null,
    tie,
  };
}

export function splitOrMerge(
  kind: 'split' | 'merge',
  at: number,
  instruments: readonly string[],
  qty: string | number,
  place: Place = {},
): SplitOrMerge {
  return { ...base(kind, at, place), kind, instruments, qty: decimal(qty) };
}

export function conversion(
  at: number,
  removed: readonly string[],
  received: readonly string[],
  qty: string | number,
  place: Place = {},
): Conversion {
  return { ...base('convert', at, place), kind: 'convert', removed, received, qty: decimal(qty) };
}

export function settlement(
  at: number,
  payouts: Readonly<Record<string, string | number>>,
  place: Place = {},
): Settlement {
  return {
    ...base('settle', at, place),
    kind: 'settle',
    payouts: Object.entries(payouts).map(([instrument, payout]) => ({ instrument, payout: decimal(payout) })),
  };
}

/** What a ledger states, as texts: open lots by book, and what each event did. */
export interface Readable {
  readonly lots: readonly string[];
  readonly effects: readonly string[];
  readonly order: readonly string[];
}

export function readable(ledger: Ledger): Readable {
  const lots = [...ledger.books.holdings].flatMap(([instrument, { books }]) =>
    books.flatMap((book) =>
      lotsOf(book).map((lot) => ({ ...lot, instrument, key: `${instrument} ${book.builder ?? '-'} ${lot.openedBy}` })),
    ),
  );
  return {
    lots: byInstrument(lots.sort((a, b) => a.n - b.n)).map(
      ({ key, qty, price }) => `${key}: ${textOf(qty)} at ${textOf(price)}`,
    ),
    effects: effectsOf(ledger.applied),
    order: ledger.applied.map(({ event }) => event.id),
  };
}

/** Lots of one instrument stay in the order in which they were opened. */
function byInstrument<L extends { readonly instrument: string }>(lots: readonly L[]): L[] {
  return [...lots].sort((a, b) => Number(a.instrument > b.instrument) - Number(a.instrument < b.instrument));
}

export function effectsOf(applied: readonly AppliedEvent[]): string[] {
  return applied.flatMap(({ event, effects }) => effects.map((effect) => effectText(event, effect)).sort());
}

/** Any statement of what an event did to one book. */
interface BookChange {
  readonly kind: string;
  readonly instrument: string;
  readonly builder: string | null;
  readonly qty: bigint;
  readonly price: bigint | null;
  readonly realized: bigint | null;
  readonly closes: readonly { readonly openedBy: string; readonly qty: bigint }[];
  readonly partial: boolean;
}

function effectText({ id }: { readonly id: string }, change: BookChange): string {
  const { kind, instrument, builder, qty, price, realized, closes, partial } = change;
  const closed = closes.map((part) => `${textOf(part.qty)} of ${part.openedBy}`).join(', ');
  const terms = `${textOf(qty)} at ${textOf(price)}, realized ${textOf(realized)}`;
  return `${id} ${kind} ${instrument} ${builder ?? '-'}: ${terms}, closes [${closed}]${partial ? ', partial' : ''}`;
}

/** The same form of what the naive ledger calculated. */
export function readableNaive({ lots, rows, order }: NaiveResult): Readable {
  const effects = rows.map((row) => ({
    id: row.id,
    text: effectText(row, row),
  }));
  return {
    lots: byInstrument(lots).map(
      ({ instrument, builder, openedBy, qty, price }) =>
        `${instrument} ${builder ?? '-'} ${openedBy}: ${textOf(qty)} at ${textOf(price)}`,
    ),
    effects: order.flatMap((id) =>
      effects
        .filter((effect) => effect.id === id)
        .map(({ text }) => text)
        .sort(),
    ),
    order,
  };
}

function textOf(value: bigint | null): string {
  return value === null ? 'null' : formatDecimal(value as Decimal);
}

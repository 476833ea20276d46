/** What is open in a book: quantity, and cost where it is known. */
import { type Decimal, divideHalfEven, UNIT, ZERO } from '../decimal.ts';
import type { Effect } from './effect.ts';
import type { Lot } from './lots.ts';

/**
 * Sums over open lots. They can be added up: those of a book are the sums of what each of its events changed, whatever
 * the order of the events.
 */
export interface OpenSums {
  /** Quantity, negative for negative lots. */
  readonly qty: Decimal;
  /** Quantity of the positive lots alone. */
  readonly longQty: Decimal;
  /** Quantity of the lots whose cost is known. */
  readonly knownQty: Decimal;
  /** Cost of these with 36 decimals, exactly; negative for negative lots. */
  readonly knownCost: bigint;
}

export interface OpenPosition {
  readonly qty: Decimal;
  /** The part of the quantity whose cost is known. */
  readonly knownQty: Decimal;
  /** Cost of that part, negative for negative lots; half to even at 18 decimals. */
  readonly knownCost: Decimal;
  /** Null without lots, where lots of both signs are open, or where one has unknown cost. */
  readonly avgCost: Decimal | null;
}

export const NOTHING_OPEN: OpenSums = { qty: ZERO, longQty: ZERO, knownQty: ZERO, knownCost: 0n };

export function openPositionOf(sums: OpenSums): OpenPosition {
  const { qty, knownQty, knownCost } = sums;
  const isAveraged = hasLots(sums) && !isMixed(sums) && knownQty === qty;
  return {
    qty,
    knownQty,
    knownCost: divideHalfEven(knownCost, UNIT) as Decimal,
    avgCost: isAveraged ? (divideHalfEven(knownCost, qty) as Decimal) : null,
  };
}

/** True if any lot is open. */
export function hasLots({ qty, longQty }: OpenSums): boolean {
  return qty !== 0n || longQty !== 0n;
}

/** True if lots of both signs are open. */
export function isMixed({ qty, longQty }: OpenSums): boolean {
  return longQty !== 0n && longQty !== qty;
}

export function sumsOf(lots: readonly Pick<Lot, 'qty' | 'price'>[]): OpenSums {
  let qty = 0n;
  let longQty = 0n;
  let knownQty = 0n;
  let knownCost = 0n;
  for (const lot of lots) {
    qty += lot.qty;
    if (lot.qty > 0n) longQty += lot.qty;
    if (lot.price === null) continue;
    knownQty += lot.qty;
    knownCost += lot.qty * lot.price;
  }
  return { qty: qty as Decimal, longQty: longQty as Decimal, knownQty: knownQty as Decimal, knownCost };
}

export function addSums(a: OpenSums, b: OpenSums): OpenSums {
  return {
    qty: (a.qty + b.qty) as Decimal,
    longQty: (a.longQty + b.longQty) as Decimal,
    knownQty: (a.knownQty + b.knownQty) as Decimal,
    knownCost: a.knownCost + b.knownCost,
  };
}

/** Returns by how much an effect changed the sums of its book. */
export function openChangeOf({ closes, opens, grows, price }: Effect): OpenSums {
  const closed = closes.length === 0 ? NOTHING_OPEN : sumsOf(closes);
  // Rounding is added to a lot at the price of that lot.
  const opened = opens ? sumsOf([opens]) : grows ? sumsOf([{ qty: grows.qty, price }]) : NOTHING_OPEN;
  if (closes.length === 0) return opened;
  return {
    qty: (opened.qty - closed.qty) as Decimal,
    longQty: (opened.longQty - closed.longQty) as Decimal,
    knownQty: (opened.knownQty - closed.knownQty) as Decimal,
    knownCost: opened.knownCost - closed.knownCost,
  };
}

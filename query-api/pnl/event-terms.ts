/** Positions in the terms of an event's YES: a NO token, and the YES of an inverse link, count the other way round. */
import { type Decimal, divideHalfEven, UNIT } from '#schemas/domain/decimal';
import {
  addSums,
  hasLots,
  isMixed,
  NOTHING_OPEN,
  type OpenSums,
  openPositionOf,
} from '#schemas/domain/ledger/open-position';

export interface Position {
  readonly qty: Decimal;
  readonly avgCost: Decimal | null;
  readonly currentPrice: Decimal | null;
}

/** What is open of one instrument, with its mark. */
export interface OpenPart {
  readonly open: OpenSums;
  readonly mark: Decimal | null;
  /** True if its YES is the event's NO. */
  readonly isInverse: boolean;
}

/** Averages are null without lots, where lots of both signs are open, and where one has no cost or mark. */
export function positionOf(parts: readonly OpenPart[]): Position {
  const turned = parts.map(({ open, mark, isInverse }) => ({
    open: isInverse ? turnedSums(open) : open,
    mark: isInverse ? turnedPrice(mark) : mark,
  }));
  const sums = turned.reduce((sum, { open }) => addSums(sum, open), NOTHING_OPEN);
  const { qty, avgCost } = openPositionOf(sums);
  let value: bigint | null = 0n;
  for (const { open, mark } of turned)
    if (hasLots(open)) value = value === null || mark === null ? null : value + open.qty * mark;
  const isOneSided = hasLots(sums) && !isMixed(sums);
  const currentPrice = isOneSided && value !== null ? (divideHalfEven(value, qty) as Decimal) : null;
  return { qty, avgCost, currentPrice };
}

/** The same lots with the other sign, each at 1 minus its price. */
function turnedSums({ qty, longQty, knownQty, knownCost }: OpenSums): OpenSums {
  return {
    qty: -qty as Decimal,
    longQty: (longQty - qty) as Decimal,
    knownQty: -knownQty as Decimal,
    knownCost: knownCost - knownQty * UNIT,
  };
}

function turnedPrice(price: Decimal | null): Decimal | null {
  return price === null ? null : ((UNIT - price) as Decimal);
}

/** Positions in the terms of an event's YES: a NO token, and the YES of an inverse link, count the other way round. */
import { type Decimal, divideHalfEven, UNIT } from '#schemas/domain/decimal';
import type { Lot } from '#schemas/domain/ledger/lots';
import { openPositionOf } from '#schemas/domain/ledger/open-position';

export interface Position {
  readonly qty: Decimal;
  readonly avgCost: Decimal | null;
  readonly currentPrice: Decimal | null;
}

/** Open lots of one instrument with its mark. */
export interface OpenLots {
  readonly lots: readonly Lot[];
  readonly mark: Decimal | null;
  /** True if its YES is the event's NO. */
  readonly isInverse: boolean;
}

/** Averages are null without lots, where lots of both signs are open, and where one has no cost or mark. */
export function positionOf(parts: readonly OpenLots[]): Position {
  const turned = parts.map(({ lots, mark, isInverse }) => ({
    lots: isInverse ? lots.map(turnedLot) : lots,
    mark: isInverse ? turnedPrice(mark) : mark,
  }));
  const lots = turned.flatMap((part) => part.lots);
  const longs = lots.filter(({ qty }) => qty > 0n);
  const shorts = lots.filter(({ qty }) => qty < 0n);
  const { qty, avgCost } = openPositionOf({ builder: null, longs, shorts });
  const isOneSided = lots.length > 0 && (longs.length === 0 || shorts.length === 0);
  let value: bigint | null = 0n;
  for (const part of turned)
    for (const lot of part.lots) value = value === null || part.mark === null ? null : value + lot.qty * part.mark;
  const currentPrice = isOneSided && value !== null ? (divideHalfEven(value, qty) as Decimal) : null;
  return { qty, avgCost, currentPrice };
}

function turnedLot(lot: Lot): Lot {
  return { ...lot, qty: -lot.qty as Decimal, price: turnedPrice(lot.price) };
}

function turnedPrice(price: Decimal | null): Decimal | null {
  return price === null ? null : ((UNIT - price) as Decimal);
}

/** How far the price of a position may move until the venue closes it. */

export interface OpenPosition {
  /** Negative for a short position. */
  readonly szi: number | null;
  readonly positionValue: number | null;
  readonly liquidationPx: number | null;
}

/** The mark price by which a position is valued; null if it is not known. */
export function markOf({ szi, positionValue }: Pick<OpenPosition, 'szi' | 'positionValue'>): number | null {
  return szi === null || szi === 0 || positionValue === null ? null : positionValue / Math.abs(szi);
}

/**
 * The move of the mark price that leads to the liquidation, as a fraction of the mark price: 0.1 is a fall of 10 % for a
 * long position, a rise of 10 % for a short one. Null if the venue states no liquidation price.
 */
export function liquidationDistance(position: OpenPosition): number | null {
  const mark = markOf(position);
  const { szi, liquidationPx } = position;
  if (mark === null || mark === 0 || szi === null || liquidationPx === null) return null;
  return (Math.sign(szi) * (mark - liquidationPx)) / mark;
}

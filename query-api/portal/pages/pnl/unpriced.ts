import type { Row } from './shapes.ts';

/**
 * How many open positions of a row have no mark, so that their unrealized profit and loss is not known. Rows of events
 * do not state it; it follows from their legs.
 */
export function unpricedOf({ unpriced, legs = [] }: Pick<Row, 'unpriced' | 'legs'>): number {
  if (unpriced !== undefined) return unpriced;
  return legs.filter(
    ({ openPosition, currentPrice, unrealized }) => openPosition !== 0 && currentPrice === null && unrealized === null,
  ).length;
}

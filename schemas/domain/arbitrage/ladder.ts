/** A ladder: what one pair of markets earns at several sizes. Pure. */
import { type Decimal, divideHalfEven } from '../decimal.ts';
import { netAmount, type PairQuote, quotePair } from './pair.ts';
import { type BestSize, bestSizeOf, breakEvenSizeOf, type PairSide, type SidePair } from './profit-sizes.ts';
import { type Walk, walkLevels } from './walk.ts';

/** Number of 10^-54 units in one 10^-18 unit. */
const AMOUNT_UNITS = 10n ** 36n;

/** The figures of a size; `profit` is USD for the full size, rounded half-even to 18 decimals. */
export interface LadderQuote extends PairQuote {
  readonly profit: Decimal;
}

export interface LadderRow {
  readonly size: Decimal;
  /** Null if one of the books holds less than the size. */
  readonly quote: LadderQuote | null;
}

export interface Ladder<P extends SidePair> {
  readonly pair: P;
  /** One for each size, in the order of the sizes. */
  readonly rows: readonly LadderRow[];
  /** As `breakEvenSizeOf` returns it. */
  readonly breakEvenSize: Decimal | null;
  /** As `bestSizeOf` returns it. */
  readonly bestSize: Decimal | null;
}

/**
 * Calculates the ladder of the best of several pairs of one kind; null without a pair. The best is the one with the
 * largest profit at its best size. If none is profitable, it is the one with the largest net edge at the first of
 * `compared` that any of them holds. Of equal ones the first counts.
 * @param sizes those of the rows, above zero.
 * @param compared sizes at which pairs that are not profitable are compared.
 */
export function ladderOf<P extends SidePair>(
  pairs: readonly P[],
  sizes: readonly Decimal[],
  compared: readonly Decimal[],
): Ladder<P> | null {
  const found = mostProfitable(pairs) ?? largestEdge(pairs, compared);
  if (found === null) return null;
  const { pair, best } = found;
  return {
    pair,
    rows: sizes.map((size) => ({ size, quote: quoteAt(pair, size) })),
    breakEvenSize: breakEvenSizeOf(pair),
    bestSize: best?.size ?? null,
  };
}

interface Found<P> {
  readonly pair: P;
  readonly best: BestSize | null;
}

function mostProfitable<P extends SidePair>(pairs: readonly P[]): Found<P> | null {
  let found: { pair: P; best: BestSize } | null = null;
  for (const pair of pairs) {
    const best = bestSizeOf(pair);
    if (best !== null && (found === null || best.profit > found.best.profit)) found = { pair, best };
  }
  return found;
}

function largestEdge<P extends SidePair>(pairs: readonly P[], compared: readonly Decimal[]): Found<P> | null {
  for (const size of compared) {
    let found: { pair: P; profit: bigint } | null = null;
    for (const pair of pairs) {
      const walks = walksOf(pair, size);
      if (walks === null) continue;
      const profit = netAmount(pair.kind, size, walks.first, walks.second);
      if (found === null || profit > found.profit) found = { pair, profit };
    }
    if (found !== null) return { pair: found.pair, best: null };
  }
  return pairs[0] === undefined ? null : { pair: pairs[0], best: null };
}

function quoteAt(pair: SidePair, size: Decimal): LadderQuote | null {
  const walks = walksOf(pair, size);
  if (walks === null) return null;
  const profit = divideHalfEven(netAmount(pair.kind, size, walks.first, walks.second), AMOUNT_UNITS) as Decimal;
  return { ...quotePair(pair.kind, size, walks.first, walks.second), profit };
}

function walksOf({ first, second }: SidePair, size: Decimal): { readonly first: Walk; readonly second: Walk } | null {
  const [bought, sold] = [walkSide(first, size), walkSide(second, size)];
  return bought === null || sold === null ? null : { first: bought, second: sold };
}

function walkSide({ levels, model, rate, mirrored }: PairSide, size: Decimal): Walk | null {
  return walkLevels(levels, { size, model, rate, mirrored });
}

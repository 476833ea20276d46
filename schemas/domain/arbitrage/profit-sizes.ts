/**
 * Finds the size at which a pair of markets earns most, and the largest at which it does not lose. Both are exact.
 * Amounts are USD in units of 10^-72, in which a quantity times the fee of a share needs no rounding.
 */
import type { Level } from '../book.ts';
import { type Decimal, ZERO } from '../decimal.ts';
import { type FeeModel, PRODUCT_UNITS } from './fee-model.ts';
import type { ArbitrageKind } from './pair.ts';
import { eventPrice } from './walk.ts';

/** A side of a book with the fee of taking from it. */
export interface PairSide {
  /** Best first. */
  readonly levels: readonly Level[];
  readonly model: FeeModel;
  readonly rate: Decimal;
  /** As in `WalkTerms`. */
  readonly mirrored: boolean;
}

/** Two sides of different markets: the first buys YES, the second sells YES or buys NO. */
export interface SidePair {
  readonly kind: ArbitrageKind;
  readonly first: PairSide;
  readonly second: PairSide;
}

/** 10^-6 shares: break-even sizes are multiples of it. It is the smallest amount of a token on the chain of venue_b. */
export const SIZE_STEP = (10n ** 12n) as Decimal;

/** Number of 10^-72 units in a price times 10^-18 shares. */
const PRICE_UNITS = 10n ** 36n;

/** The level of a side that is being taken from. */
interface Taken {
  /** Size at which the level begins. */
  readonly start: bigint;
  /** What 10^-18 shares cost or bring. */
  readonly price: bigint;
  /** Fee of 10^-18 shares before rounding. */
  readonly fee: bigint;
  /** The fee of the level is rounded down to a multiple of it. */
  readonly step: bigint;
  /** True if the fee is never rounded, because that of every 10^-18 shares is a multiple of the step. */
  readonly isLinear: boolean;
}

/** A range of sizes within which neither side changes its level. */
interface Segment {
  /** Exclusive. */
  readonly from: bigint;
  /** Inclusive. */
  readonly to: bigint;
  /** What the levels before these earn. */
  readonly before: bigint;
  readonly bought: Taken;
  readonly sold: Taken;
}

/** The size with the largest profit, of all sizes at which a level of either book ends; the smallest of equal ones. */
export interface BestSize {
  readonly size: Decimal;
  /** In units of 10^-72 USD, above zero. */
  readonly profit: bigint;
}

/** Returns the best size, or null if none earns anything. */
export function bestSizeOf(pair: SidePair): BestSize | null {
  let best: BestSize | null = null;
  for (const segment of segmentsOf(pair)) {
    const profit = netAt(segment, segment.to);
    if (profit > (best?.profit ?? 0n)) best = { size: segment.to as Decimal, profit };
  }
  return best;
}

/**
 * Returns the largest multiple of `SIZE_STEP` at which the net profit is not negative, or null if no size is profitable.
 * A fee that is rounded level by level makes the profit rise and fall in small steps, so the segments are searched from
 * the deepest one back, and the first size that is found is the answer.
 */
export function breakEvenSizeOf(pair: SidePair): Decimal | null {
  if (bestSizeOf(pair) === null) return null;
  for (const segment of segmentsOf(pair).reverse()) {
    const size = lastWithoutLoss(segment);
    if (size !== null) return size;
  }
  return null;
}

/** The segments up to the depth of the thinner side, in order. */
function segmentsOf({ kind, first, second }: SidePair): Segment[] {
  const segments: Segment[] = [];
  // A bought NO is a YES that was sold: its price is what it leaves of the payout.
  const isSecondMirrored = second.mirrored || kind === 'negation_pair';
  let [from, before] = [0n, 0n];
  let [firstAt, secondAt] = [0, 0];
  let [firstStart, secondStart] = [0n, 0n];
  for (;;) {
    const [buying, selling] = [first.levels[firstAt], second.levels[secondAt]];
    if (buying === undefined || selling === undefined) return segments;
    const [firstEnd, secondEnd] = [firstStart + buying.size, secondStart + selling.size];
    const to = smaller(firstEnd, secondEnd);
    const bought = takenFrom(first, buying, firstStart, first.mirrored);
    const sold = takenFrom(second, selling, secondStart, isSecondMirrored);
    segments.push({ from, to, before, bought, sold });
    if (to === firstEnd) {
      before -= buying.size * bought.price + feeOf(bought, buying.size);
      [firstAt, firstStart] = [firstAt + 1, firstEnd];
    }
    if (to === secondEnd) {
      before += selling.size * sold.price - feeOf(sold, selling.size);
      [secondAt, secondStart] = [secondAt + 1, secondEnd];
    }
    from = to;
  }
}

function takenFrom({ model, rate }: PairSide, { price }: Level, start: bigint, mirrored: boolean): Taken {
  const fee = model.shareFee(rate, price);
  const step = model.step * PRODUCT_UNITS;
  return { start, price: eventPrice(price, mirrored) * PRICE_UNITS, fee, step, isLinear: fee % step === 0n };
}

function feeOf({ fee, step }: Taken, qty: bigint): bigint {
  return ((fee * qty) / step) * step;
}

/** Net profit at a size of the segment. */
function netAt({ before, bought, sold }: Segment, size: bigint): bigint {
  const [firstQty, secondQty] = [size - bought.start, size - sold.start];
  const received = secondQty * sold.price - feeOf(sold, secondQty);
  return before + received - firstQty * bought.price - feeOf(bought, firstQty);
}

/**
 * Returns the largest size of a segment without a loss, or null. It jumps from its end over sizes that certainly lose.
 * A jump ends at most where a rounded fee was one step lower, and few are needed: before rounding, the profit falls by
 * the same amount for each share, and rounding changes it by less than a step of each fee.
 */
function lastWithoutLoss(segment: Segment): Decimal | null {
  let size = floorSize(segment.to);
  while (size > segment.from) {
    const net = netAt(segment, size);
    if (net >= 0n) return size as Decimal;
    size = floorSize(nextSize(segment, size, -net));
  }
  return null;
}

/** Returns a smaller size such that every size between has a loss. */
function nextSize(segment: Segment, size: bigint, loss: bigint): bigint {
  const { bought, sold, from } = segment;
  // What each 10^-18 shares less save while no rounded fee changes, and what they save on average.
  let saved = bought.price - sold.price;
  let savedOnAverage = saved;
  // What rounding can add at most, and the size above which every rounded fee is as it is here.
  let rounding = 0n;
  let sameFeesFrom = from;
  for (const taken of [bought, sold]) {
    savedOnAverage += taken.fee;
    if (taken.isLinear) {
      saved += taken.fee;
      continue;
    }
    const exact = taken.fee * (size - taken.start);
    const charged = feeOf(taken, size - taken.start);
    rounding += taken.step - (exact - charged);
    const start = taken.start + divideUp(charged, taken.fee);
    if (start > sameFeesFrom) sameFeesFrom = start;
  }
  const withSameFees = saved > 0n ? size - divideUp(loss, saved) : from;
  const next = withSameFees >= sameFeesFrom ? withSameFees : sameFeesFrom - 1n;
  if (loss <= rounding) return next;
  if (savedOnAverage <= 0n) return from;
  const byAverage = size - divideUp(loss - rounding, savedOnAverage);
  return smaller(byAverage, next);
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** Rounds a quotient up that is not negative. */
function divideUp(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return quotient * divisor === value ? quotient : quotient + 1n;
}

function floorSize(size: bigint): bigint {
  return size < ZERO ? ZERO : size - (size % SIZE_STEP);
}

import { describe, expect, it } from 'vitest';
import { venueAOutcomeFee } from '../../venues/venue-a/outcome-fee.ts';
import { venueBFee } from '../../venues/venue-b/taker-fee.ts';
import type { Level } from '../book.ts';
import { type Decimal, formatDecimal, parseDecimal, UNIT } from '../decimal.ts';
import { defineFeeModel, type FeeModel, PRODUCT_UNITS } from './fee-model.ts';
import { type ArbitrageKind, netAmount } from './pair.ts';
import { bestSizeOf, breakEvenSizeOf, type PairSide, SIZE_STEP, type SidePair } from './profit-sizes.ts';
import { walkLevels } from './walk.ts';

/** Creates a reproducible stream of numbers in [0, 1). */
function seeded(seed: number) {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
  const below = (n: number) => Math.floor(random() * n);
  return { random, below, pick: <T>(values: readonly T[]) => values[below(values.length)]! };
}

const levels = (...pairs: readonly (readonly [price: string, size: string])[]): Level[] =>
  pairs.map(([price, size]) => ({ price: parseDecimal(price), size: parseDecimal(size) }));

/** Net profit of a size as the walks of the spreads stage give it; null if a book holds less. */
function naiveNet({ kind, first, second }: SidePair, size: Decimal): bigint | null {
  const walk = ({ levels: side, ...terms }: PairSide) => walkLevels(side, { size, ...terms });
  const [bought, sold] = [walk(first), walk(second)];
  return bought && sold ? netAmount(kind, size, bought, sold) : null;
}

/** Sizes at which a level of either side ends, in order, up to the depth of the thinner one. */
function naiveEnds({ first, second }: SidePair): Decimal[] {
  const [one, other] = [first, second].map(({ levels: side }) => {
    let size = 0n;
    return side.map((level) => {
      size += level.size;
      return size as Decimal;
    });
  }) as [Decimal[], Decimal[]];
  return [...one, ...other]
    .filter((size) => [one, other].every((ends) => size <= (ends.at(-1) ?? 0n)))
    .sort((a, b) => Number(a - b));
}

/** Searches every level for the best size, and every multiple of the step for the break-even. */
function naiveSizes(pair: SidePair) {
  let best: { size: Decimal; profit: bigint } | null = null;
  const ends = naiveEnds(pair);
  for (const size of ends) {
    const profit = naiveNet(pair, size)! * PRODUCT_UNITS;
    if (profit > (best?.profit ?? 0n)) best = { size, profit };
  }
  let breakEven: Decimal | null = null;
  if (best !== null)
    for (let size: bigint = SIZE_STEP; size <= ends.at(-1)!; size += SIZE_STEP)
      if (naiveNet(pair, size as Decimal)! >= 0n) breakEven = size as Decimal;
  return { best, breakEven };
}

describe('the best size and the break-even size', () => {
  it('equal those of a search through every size, on 3,000 pairs of small books', () => {
    // Steps of rounding that are passed every few millionths of a share.
    const rounded = (step: bigint): FeeModel =>
      defineFeeModel({ provider: 'x', since: 0, shareFee: venueBFee.shareFee, step });
    const models = [venueAOutcomeFee, rounded(10n ** 47n), rounded(10n ** 48n), rounded(3n * 10n ** 46n)];
    const counts = { profitable: 0, inside: 0, bothRounded: 0, afterLoss: 0 };
    for (let seed = 1; seed <= 3_000; seed += 1) {
      const { below, pick, random } = seeded(seed * 7_919);
      const kind: ArbitrageKind = pick(['cross_provider', 'negation_pair']);
      const side = (isFirst: boolean): PairSide => {
        const mirrored = kind === 'cross_provider' && random() < 0.3;
        // Prices as seen from the event, best first: the first side buys from 0.45 up, the second sells from 0.53 down.
        let price = isFirst ? 440 + below(40) : 490 + below(50);
        const side = Array.from({ length: 1 + below(4) }, () => {
          price += (isFirst ? 1 : -1) * (1 + below(25));
          const own = mirrored || (kind === 'negation_pair' && !isFirst) ? 1_000 - price : price;
          const size = random() < 0.1 ? `0.00000${below(9)}5` : `0.0000${10 + below(30)}`;
          return [`0.${own}`, size] as const;
        });
        const rate = parseDecimal(pick(['0', '0.01', '0.05', '0.07', '0.2', '-0.01']));
        return { levels: levels(...side), model: pick(models), rate, mirrored };
      };
      const pair: SidePair = { kind, first: side(true), second: side(false) };
      const expected = naiveSizes(pair);
      expect(bestSizeOf(pair), `seed ${seed}`).toEqual(expected.best);
      expect(breakEvenSizeOf(pair), `seed ${seed}`).toBe(expected.breakEven);
      if (expected.breakEven === null) continue;
      counts.profitable += 1;
      const ends = naiveEnds(pair);
      if (!ends.includes(expected.breakEven) && expected.breakEven + SIZE_STEP <= ends.at(-1)!) counts.inside += 1;
      if (pair.first.model.step > 1n && pair.second.model.step > 1n) counts.bothRounded += 1;
      // Rounding makes a smaller size lose although a larger one does not.
      for (let size: bigint = SIZE_STEP; size < expected.breakEven; size += SIZE_STEP)
        if (naiveNet(pair, size as Decimal)! < 0n) {
          counts.afterLoss += 1;
          break;
        }
    }
    expect(counts.profitable).toBeGreaterThan(1_000);
    expect(counts.inside).toBeGreaterThan(300);
    expect(counts.bothRounded).toBeGreaterThan(500);
    expect(counts.afterLoss).toBeGreaterThan(20);
  });

  it('are found at the step in books of the venues, without a search', () => {
    const pair: SidePair = {
      kind: 'cross_provider',
      first: {
        levels: levels(['0.5', '1000'], ['0.52', '100000'], ['0.53', '900000']),
        model: venueBFee,
        rate: parseDecimal('0.07'),
        mirrored: false,
      },
      second: {
        levels: levels(['0.56', '2000'], ['0.53', '1000000']),
        model: venueAOutcomeFee,
        rate: parseDecimal('0.0007'),
        mirrored: false,
      },
    };
    expect(formatDecimal(bestSizeOf(pair)!.size)).toBe('2000');
    const breakEven = breakEvenSizeOf(pair)!;
    expect(formatDecimal(breakEven)).toBe('10191.254578');
    expect(naiveNet(pair, breakEven)! >= 0n).toBe(true);
    for (const more of [1n, 10n, 1_000n, 1_000_000n, 100_000_000n])
      expect(naiveNet(pair, (breakEven + more * SIZE_STEP) as Decimal)! < 0n).toBe(true);
  });

  it('are null where only the rounding of a fee leaves anything, or nothing does', () => {
    const side = (price: string, rate: string): PairSide => ({
      levels: levels([price, '100']),
      model: venueBFee,
      rate: parseDecimal(rate),
      mirrored: false,
    });
    const pairOf = (first: PairSide, second: PairSide): SidePair => ({ kind: 'cross_provider', first, second });
    // A few ten-thousandths of a share have no fee.
    for (const pair of [
      pairOf(side('0.5', '0.07'), side('0.51', '0.07')),
      pairOf(side('0.5', '0'), side('0.5', '0')),
      pairOf(side('0.5', '0'), side('0.4', '0')),
      pairOf(side('0.5', '0'), { ...side('0.6', '0'), levels: [] }),
    ]) {
      expect(bestSizeOf(pair)).toBeNull();
      expect(breakEvenSizeOf(pair)).toBeNull();
    }
  });

  it('are those of the smallest of equal profits, and of the complete depth of a book without a loss', () => {
    const free = { model: venueAOutcomeFee, rate: 0n as Decimal, mirrored: false };
    const pair: SidePair = {
      kind: 'negation_pair',
      first: { ...free, levels: levels(['0.4', '10'], ['0.5', '20.5']) },
      second: { ...free, levels: levels(['0.5', '10'], ['0.5', '1000']) },
    };
    expect(bestSizeOf(pair)).toEqual({ size: parseDecimal('10'), profit: UNIT * PRODUCT_UNITS ** 3n });
    expect(formatDecimal(breakEvenSizeOf(pair)!)).toBe('30.5');
  });
});

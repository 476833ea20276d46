import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseMarkets } from './choose-markets.ts';
import type { ListedMarket } from './markets.ts';

const market = (conditionId: string, more: Partial<ListedMarket> = {}): ListedMarket => ({
  conditionId,
  tokens: [`${conditionId}y`, `${conditionId}n`],
  open: true,
  dayVolume: 0,
  cryptoPrice: false,
  ...more,
});
const ids = (chosen: readonly ListedMarket[]) => chosen.map(({ conditionId }) => conditionId);

/** Reference implementation: sorts the complete catalog and stops when there is no more room. */
function firstInOrder(markets: readonly ListedMarket[], watched: ReadonlySet<string>, tokensMax: number) {
  const rank = ({ cryptoPrice, conditionId }: ListedMarket) =>
    (cryptoPrice ? 2 : 0) + (watched.has(conditionId) ? 1 : 0);
  const ordered = markets
    .filter(({ open }) => open)
    .sort((a, b) => rank(b) - rank(a) || b.dayVolume - a.dayVolume || (a.conditionId < b.conditionId ? -1 : 1));
  const tokensUpTo = (end: number) => ordered.slice(0, end).reduce((sum, { tokens }) => sum + tokens.length, 0);
  const beyond = ordered.findIndex((_, at) => tokensUpTo(at + 1) > tokensMax);
  return beyond < 0 ? ordered : ordered.slice(0, beyond);
}

/** Counts the calls of `has`. */
class CountingSet extends Set<string> {
  lookups = 0;

  override has(value: string): boolean {
    this.lookups += 1;
    return super.has(value);
  }
}

describe('chooseMarkets', () => {
  it('chooses markets of which accounts hold a token after coin prices, before those that are watched', () => {
    const markets = [
      market('watched'),
      market('held'),
      market('large', { dayVolume: 9 }),
      market('coin', { cryptoPrice: true }),
    ];
    const chosen = chooseMarkets(markets, new Set(['watched']), 6, (token) => token === 'heldn');
    expect(ids(chosen)).toEqual(['coin', 'held', 'watched']);
  });

  it('chooses coin prices first, then watched markets, then the largest, up to its limit', () => {
    const markets = [
      market('small', { dayVolume: 1 }),
      market('large', { dayVolume: 100 }),
      market('watched', { dayVolume: 2 }),
      market('coin', { cryptoPrice: true }),
      market('closed', { open: false, dayVolume: 999 }),
    ];
    expect(ids(chooseMarkets(markets, new Set(['watched', 'closed']), 100))).toEqual([
      'coin',
      'watched',
      'large',
      'small',
    ]);
    expect(ids(chooseMarkets(markets, new Set(), 4))).toEqual(['coin', 'large']);
    expect(ids(chooseMarkets(markets, new Set(), 5))).toEqual(['coin', 'large']);
    expect(ids(chooseMarkets(markets, new Set(), 0))).toEqual([]);
  });

  it('chooses exactly the markets that sorting the complete catalog would, also if many have the same size', () => {
    // Many more markets than fit, of few sizes, with up to four tokens.
    const catalog = fc.uniqueArray(
      fc.record({
        conditionId: fc.string({ minLength: 1, maxLength: 3 }),
        tokens: fc.array(fc.constant('t'), { maxLength: 4 }),
        open: fc.integer({ min: 0, max: 9 }).map((of10) => of10 > 0),
        dayVolume: fc.integer({ min: 0, max: 5 }),
        cryptoPrice: fc.integer({ min: 0, max: 9 }).map((of10) => of10 === 0),
      }),
      { selector: ({ conditionId }) => conditionId, maxLength: 300, size: 'max' },
    );
    fc.assert(
      fc.property(catalog, fc.nat(40), fc.integer({ min: 1, max: 7 }), (markets, tokensMax, every) => {
        const watched = new Set(ids(markets).filter((_, at) => at % every === 0));
        expect(ids(chooseMarkets(markets, watched, tokensMax))).toEqual(ids(firstInOrder(markets, watched, tokensMax)));
      }),
      { numRuns: 300 },
    );
  });

  // The rank of a market needs one lookup in the watched set.
  it.each([
    ['falling', (at: number) => -at],
    ['rising', (at: number) => at],
    ['mixed', (at: number) => (at * 7_919) % 10_007],
  ])('calculates the rank of each market once, in a catalog of %s sizes', (_, sizeAt) => {
    const markets = Array.from({ length: 10_000 }, (_, at) => market(`m${at}`, { dayVolume: sizeAt(at) }));
    const watched = new CountingSet(['m17', 'm9000']);
    expect(ids(chooseMarkets(markets, watched, 200))).toEqual(ids(firstInOrder(markets, new Set(watched), 200)));
    expect(watched.lookups).toBe(markets.length);
  });
});

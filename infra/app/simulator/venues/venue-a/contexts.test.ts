import { describe, expect, it } from 'vitest';
import type { VenueATrade } from '../../world/ladder-book.ts';
import { DAY_MS, HOUR_MS } from '../../world/time.ts';
import { createWorld } from '../../world/world.ts';
import { perpContextText, spotContextText } from './contexts.ts';
import { createMarkets } from './market.ts';

const AT = Date.UTC(2026, 0, 15, 13, 10, 1, 234);

function open(seed: number, rate: number, coins: number) {
  const world = createWorld({ seed, rate, events: 3, coins });
  const markets = createMarkets(world);
  /** Daily volume in the context of a ladder. */
  const volumeOf = (index: number, atMs: number) => {
    const ladder = world.ladders.at(index, atMs);
    const text = ladder.kind === 'spot' ? spotContextText : perpContextText;
    const context = JSON.parse(text(world, markets, ladder, atMs)) as { dayBaseVlm: string; dayNtlVlm: string };
    return { base: Number(context.dayBaseVlm), notional: Number(context.dayNtlVlm) };
  };
  const tradedIn = (index: number, fromMs: number, toMs: number) => {
    const sum = { base: 0, notional: 0, trades: 0 };
    for (const trade of markets.tradesBetween(markets.ofLadder(world.ladders.at(index, toMs - 1)), fromMs, toMs)) {
      const base = sizeOf(trade);
      sum.base += base;
      sum.notional += (base * trade.px) / 10 ** trade.priceDecimals;
      sum.trades += 1;
    }
    return sum;
  };
  return { world, volumeOf, tradedIn };
}
const sizeOf = ({ sz, sizeDecimals }: VenueATrade) => sz / 10 ** sizeDecimals;

describe('the volume of the day in a context', () => {
  it.each([
    [1, 200, 4],
    [2, 20, 12],
    [3, 2, 50],
    [4, 1, 100],
  ])('is at least that of all trades of the trailing 24 hours (seed %i, rate %i, %i coins)', (seed, rate, coins) => {
    const { world, volumeOf, tradedIn } = open(seed, rate, coins);
    const ladders = world.ladders.listed(AT);
    for (const { index } of rate > 100 ? ladders.slice(-3) : ladders) {
      const [reported, traded] = [volumeOf(index, AT), tradedIn(index, AT + 1 - DAY_MS, AT + 1)];
      expect(reported.base).toBeGreaterThanOrEqual(traded.base);
      expect(reported.notional).toBeGreaterThanOrEqual(traded.notional);
      if (traded.trades < 5_000) continue;
      expect(reported.base).toBeLessThan(traded.base * 1.25);
      expect(reported.notional).toBeLessThan(traded.notional * 1.25);
    }
  });

  it('is never less than that of the preceding hour', () => {
    const { volumeOf, tradedIn } = open(1, 200, 50);
    for (const index of [0, 1, 49]) {
      for (const at of [AT, AT + HOUR_MS, AT + 5 * HOUR_MS]) {
        const [reported, traded] = [volumeOf(index, at), tradedIn(index, at + 1 - HOUR_MS, at + 1)];
        expect(traded.trades).toBeGreaterThan(100);
        expect(reported.base).toBeGreaterThan(traded.base);
        expect(reported.notional).toBeGreaterThan(traded.notional);
      }
    }
  });

  it('is the same after a restart', () => {
    expect(open(5, 200, 6).volumeOf(0, AT)).toEqual(open(5, 200, 6).volumeOf(0, AT));
  });
});

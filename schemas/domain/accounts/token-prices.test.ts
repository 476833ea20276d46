import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatDecimal, parseDecimal } from '../decimal.ts';
import { type PricedPair, tokenPrice } from './token-prices.ts';

const DATA = join(process.env.PARALLAX_SHARED ?? '../shared', 'data/venue_a');
const QUOTES: Readonly<Record<number, string>> = { 0: 'USDC', 360: 'USDH', 235: 'USDE', 9: 'PURR' };

const pair = (index: number, baseToken: number, quoteToken: number, price: string | null): PricedPair => ({
  index,
  baseToken,
  quoteToken,
  quote: QUOTES[quoteToken]!,
  markPrice: price === null ? null : parseDecimal(price),
});
function priceOf(token: number, ...pairs: PricedPair[]) {
  const price = tokenPrice(token, pairs);
  return price === null ? null : formatDecimal(price);
}

describe('the price of a token', () => {
  it('is 1 for USDC', () => {
    expect(priceOf(0)).toBe('1');
  });

  it('is the mark price of the pair with USDC that has the lowest index', () => {
    expect(priceOf(150, pair(200, 150, 0, '41'), pair(107, 150, 0, '40'), pair(3, 150, 360, '39'))).toBe('40');
  });

  it('is that of the lowest pair with another quote token, times the price of that token', () => {
    const pairs = [pair(8, 5, 235, '3'), pair(7, 5, 360, '2'), pair(20, 360, 0, '0.999'), pair(21, 235, 0, '1.01')];
    expect(priceOf(5, ...pairs)).toBe('1.998');
  });

  it('is unknown while the pair that prices the token has no recent mark price, whatever other pairs have', () => {
    expect(priceOf(5, pair(1, 5, 0, null), pair(2, 5, 0, '2'))).toBeNull();
    expect(priceOf(5, pair(1, 5, 0, null), pair(2, 5, 360, '2'), pair(20, 360, 0, '0.5'))).toBeNull();
    expect(priceOf(5, pair(1, 5, 360, null), pair(2, 5, 235, '2'), pair(21, 235, 0, '1'))).toBeNull();
    expect(priceOf(5, pair(1, 5, 360, '2'), pair(20, 360, 0, null), pair(21, 360, 0, '1'))).toBeNull();
  });

  it('is unknown without a pair, with a pair of another token only, and where quote tokens only quote each other', () => {
    expect(priceOf(5, pair(1, 6, 0, '1'))).toBeNull();
    expect(priceOf(5, pair(1, 5, 9, '1'), pair(2, 9, 0, '2'))).toBeNull();
    expect(priceOf(5, pair(1, 5, 360, '1'), pair(2, 360, 235, '1'), pair(3, 235, 360, '1'))).toBeNull();
  });

  it.skipIf(!existsSync(DATA))('is that of the recorded contexts (skipped: no data at PARALLAX_SHARED)', () => {
    const { excerpt } = JSON.parse(readFileSync(join(DATA, 'info.spotMetaAndAssetCtxs.excerpt-2026-07.json'), 'utf8'));
    const contexts: { coin: string; markPx: string }[] = excerpt.assetCtxs;
    const universe: { name: string; index: number; tokens: [number, number] }[] = excerpt.universe;
    const pairs = universe.map(({ name, index, tokens: [base, quote] }) =>
      pair(index, base, quote, contexts.find(({ coin }) => coin === name)!.markPx),
    );
    expect([1, 2, 3].map((token) => priceOf(token, ...pairs))).toEqual(['0.073007', '13.691', '0.00005081']);
  });
});

/** USD prices of tokens of venue_a from the mark prices of spot pairs (contract, Money: accounts, reads, values). */
import { type Decimal, multiply, UNIT } from '../decimal.ts';
import { USDC_TOKEN } from './price-key.ts';

/** Names of the quote tokens that are used where a token has no pair with USDC. */
const OTHER_QUOTES: ReadonlySet<string> = new Set(['USDH', 'USDE', 'USDT0']);

/** A listed spot pair with its mark price; null without a recent one. */
export interface PricedPair {
  readonly index: number;
  readonly baseToken: number;
  readonly quoteToken: number;
  /** Name of the quote token. */
  readonly quote: string;
  readonly markPrice: Decimal | null;
}

/**
 * USDC is 1. Another token has the mark price of its pair with USDC, else of its pair with another quote token times that
 * token's price; of several pairs the one with the lowest index counts. Null without such a pair, and while it has no price:
 * another pair may state another one.
 */
export function tokenPrice(token: number, pairs: readonly PricedPair[]): Decimal | null {
  return priceVia(token, pairs, new Set());
}

/** @param visited tokens whose price is being determined, since quote tokens can be quoted in each other. */
function priceVia(token: number, pairs: readonly PricedPair[], visited: ReadonlySet<number>): Decimal | null {
  if (token === USDC_TOKEN) return UNIT;
  const direct = lowestOf(token, pairs, ({ quoteToken }) => quoteToken === USDC_TOKEN);
  if (direct) return direct.markPrice;
  const onTheWay = new Set([...visited, token]);
  const other = lowestOf(token, pairs, ({ quote, quoteToken }) => OTHER_QUOTES.has(quote) && !onTheWay.has(quoteToken));
  const quotePrice = other && priceVia(other.quoteToken, pairs, onTheWay);
  return other?.markPrice && quotePrice ? multiply(other.markPrice, quotePrice) : null;
}

function lowestOf(
  token: number,
  pairs: readonly PricedPair[],
  matches: (pair: PricedPair) => boolean,
): PricedPair | null {
  let lowest: PricedPair | null = null;
  for (const pair of pairs)
    if (pair.baseToken === token && matches(pair) && (lowest === null || pair.index < lowest.index)) lowest = pair;
  return lowest;
}

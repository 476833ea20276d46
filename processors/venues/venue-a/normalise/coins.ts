/** Parses names of coins (venue page, section 2.1). */
import type { Provider } from '#schemas/domain/providers';
import { isOutcomeCoin } from '#schemas/venues/venue-a/outcome-coin';

/** Returns the provider of a coin: `#E` is an outcome, `dex:SYMBOL` a builder dex, all else (also spot) a perp. */
export function providerOf(coin: string): Provider {
  if (isOutcomeCoin(coin)) return 'venue_a_outcome';
  return coin.includes(':') ? 'venue_a_dex' : 'venue_a_perp';
}

/** Returns the coin `#E` of an outcome, with E = 10 * outcome + side; side 0 is YES or the first name. */
export function outcomeCoin(outcome: number, side: 0 | 1): string {
  return `#${outcome * 10 + side}`;
}

/** Parses `#E` into outcome and side; null for any other coin. */
export function parseOutcomeCoin(coin: string): { readonly outcome: number; readonly side: 0 | 1 } | null {
  const written = /^#(\d{0,13})([01])$/.exec(coin);
  return written ? { outcome: Number(written[1]), side: written[2] === '1' ? 1 : 0 } : null;
}

/** Returns the market of a coin: the YES coin for both coins of an outcome, else the coin itself. */
export function marketOf(coin: string): string {
  return isOutcomeCoin(coin) && coin.endsWith('1') ? `${coin.slice(0, -1)}0` : coin;
}

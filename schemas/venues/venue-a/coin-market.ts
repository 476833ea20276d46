import type { Provider } from '../../domain/providers.ts';
import { isOutcomeCoin } from './outcome-coin.ts';

/** Returns the provider of a coin: `#E` is an outcome, `dex:SYMBOL` a builder dex, all else (also spot) a perp. */
export function providerOf(coin: string): Extract<Provider, `venue_a_${string}`> {
  if (isOutcomeCoin(coin)) return 'venue_a_outcome';
  return coin.includes(':') ? 'venue_a_dex' : 'venue_a_perp';
}

/** Returns the market of a coin: the YES coin for both coins of an outcome, else the coin itself. */
export function marketOf(coin: string): string {
  return isOutcomeCoin(coin) && coin.endsWith('1') ? `${coin.slice(0, -1)}0` : coin;
}

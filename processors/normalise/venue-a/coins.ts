/** What the spelling of a coin tells (venue page, section 2.1). */
import type { Provider } from '#schemas/domain/providers';
import { isOutcomeCoin } from '#schemas/venues/venue-a/outcome-coin';

/** The sub-provider of a coin: `#E` is an outcome, `dex:SYMBOL` a builder dex, all else (also spot) the venue itself. */
export function providerOf(coin: string): Provider {
  if (isOutcomeCoin(coin)) return 'venue_a_outcome';
  return coin.includes(':') ? 'venue_a_dex' : 'venue_a_perp';
}

/** `#E` with E = 10 * outcome + side; side 0 is YES or the first name. */
export function outcomeCoin(outcome: number, side: 0 | 1): string {
  return `#${outcome * 10 + side}`;
}

/** Outcome and side of `#E`; null for what is no such coin. */
export function parseOutcomeCoin(coin: string): { readonly outcome: number; readonly side: 0 | 1 } | null {
  const written = /^#(\d{0,13})([01])$/.exec(coin);
  return written ? { outcome: Number(written[1]), side: written[2] === '1' ? 1 : 0 } : null;
}

/** The market that a coin belongs to: of both coins of an outcome its YES coin, else the coin itself. */
export function marketOf(coin: string): string {
  return isOutcomeCoin(coin) && coin.endsWith('1') ? `${coin.slice(0, -1)}0` : coin;
}

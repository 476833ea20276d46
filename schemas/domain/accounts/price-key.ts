/** How prices of what an account of venue_a owns are named (venue page, section 2.1). */
import type { SpotBalance } from './venue-a-account.ts';

export const USDC_TOKEN = 0;
export const HYPE_TOKEN = 150;

/** True for a balance of one side of a live outcome, `+E`. */
export const isOutcomeBalance = (coin: string): boolean => /^\+\d+$/.test(coin);
/** True for a balance of a settled outcome, `oN`. */
export const isSettledBalance = (coin: string): boolean => /^o\d+$/.test(coin);

/** The coin of an outcome, the index of a token as text; the name of a token whose index the venue does not state. */
export function priceKey({ coin, token }: Pick<SpotBalance, 'coin' | 'token'>): string {
  return token === null || isOutcomeBalance(coin) || isSettledBalance(coin) ? coin : String(token);
}

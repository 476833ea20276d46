/** Prices of what an account owns, from the newest spot contexts (contract, Money: accounts, reads, values). */
import {
  HYPE_TOKEN,
  isOutcomeBalance,
  isSettledBalance,
  priceKey,
  USDC_TOKEN,
} from '#schemas/domain/accounts/price-key';
import { type PricedPair, tokenPrice } from '#schemas/domain/accounts/token-prices';
import type { VenueAAccount } from '#schemas/domain/accounts/venue-a-account';
import { type Decimal, multiply, parseDecimal, ZERO } from '#schemas/domain/decimal';
import { parseOutcomeCoin } from './coins.ts';
import type { VenueAState } from './state.ts';

/** Contexts and mids that are older price nothing. */
const PRICE_MAX_AGE_MS = 120_000;

/** Returns the prices of all that the account has of which a price is known, by `priceKey`. */
export function pricesOf(state: VenueAState, account: VenueAAccount, now: number): [key: string, usd: Decimal][] {
  const { collateralTokens } = state.accountMarkets;
  const keys = new Set(account.balances.filter(({ total }) => total !== ZERO).map(priceKey));
  for (const { dex } of account.dexes) {
    const token = collateralTokens.get(dex);
    if (token !== undefined) keys.add(String(token));
  }
  if (account.staked !== ZERO) keys.add(String(HYPE_TOKEN));
  const pairs = pricedPairs(state, now);
  return [...keys].flatMap((key): [string, Decimal][] => {
    const usd = priceOf(state, key, pairs, now);
    return usd === null ? [] : [[key, usd]];
  });
}

function priceOf(state: VenueAState, key: string, pairs: readonly PricedPair[], now: number): Decimal | null {
  if (isOutcomeBalance(key)) return outcomePrice(state, `#${key.slice(1)}`, pairs, now);
  // What a settled outcome pays depends on the side that the account held.
  if (isSettledBalance(key)) return null;
  return /^\d+$/.test(key) ? tokenPrice(Number(key), pairs) : null;
}

/** The listed pairs, with the mark prices that are recent. */
function pricedPairs(state: VenueAState, now: number): PricedPair[] {
  return [...state.accountMarkets.pairTokens].flatMap(([coin, { index, base, quote }]) => {
    const instrument = state.instruments.get(coin);
    if (!instrument || instrument.delisted || instrument.quote === null) return [];
    const isRecent = now - (state.spotReports.get(coin) ?? 0) <= PRICE_MAX_AGE_MS;
    const mark = isRecent ? (state.contexts.get(coin)?.markPrice ?? null) : null;
    const markPrice = mark === null ? null : parseDecimal(mark);
    return [{ index, baseToken: base, quoteToken: quote, quote: instrument.quote, markPrice }];
  });
}

/** Mark price of the coin of an outcome, else its mid, times the price of the outcome's quote token. */
function outcomePrice(state: VenueAState, coin: string, pairs: readonly PricedPair[], now: number): Decimal | null {
  const { outcomeReports, midsAt } = state.accountMarkets;
  const context = state.contexts.get(coin);
  const parsed = parseOutcomeCoin(coin);
  const outcome = parsed && state.outcomes.outcomes.get(parsed.outcome);
  if (!context || !outcome) return null;
  const isReported = now - (outcomeReports.get(coin) ?? 0) <= PRICE_MAX_AGE_MS;
  const hasMid = isReported || now - midsAt <= PRICE_MAX_AGE_MS;
  const price = (isReported ? context.markPrice : null) ?? (hasMid ? context.midPrice : null);
  const token = quoteTokenOf(state, outcome.outcome.raw.quoteToken);
  const quote = token === null ? null : tokenPrice(token, pairs);
  return price === null || quote === null ? null : multiply(parseDecimal(price), quote);
}

/** Index of the quote token of an outcome. @param quoteToken its name or index. */
function quoteTokenOf({ instruments, accountMarkets }: VenueAState, quoteToken: unknown): number | null {
  if (typeof quoteToken === 'number') return quoteToken;
  if (quoteToken === 'USDC') return USDC_TOKEN;
  let asBase: number | null = null;
  for (const [coin, { base, quote }] of accountMarkets.pairTokens) {
    const names = instruments.get(coin);
    // Anybody can name a token like this one, but not quote pairs in it.
    if (names?.quote === quoteToken) return quote;
    if (names?.base === quoteToken) asBase = Math.min(base, asBase ?? base);
  }
  return asBase;
}

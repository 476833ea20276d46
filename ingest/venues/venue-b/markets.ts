/** Reads open markets from answers of the catalog (venue page, section 2). */

import { asList, asObject, asText, parseJsonOrNull } from '#schemas/domain/json-fields';
import { UpstreamError } from '../../feed/errors.ts';
import { asMagnitude } from '../../feed/json.ts';

export interface ListedMarket {
  readonly conditionId: string;
  readonly tokens: readonly string[];
  /** True if its book accepts orders. */
  readonly open: boolean;
  /** USD of the last day, for ranking. */
  readonly dayVolume: number;
  /** True if it asks about a coin's price, like the outcome markets of the other venue. */
  readonly cryptoPrice: boolean;
}

export interface MarketPage {
  readonly markets: readonly ListedMarket[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Reads a page in either format: a list, or `{markets, next_cursor}`. */
export function readMarketPage(answer: unknown): MarketPage {
  const listed = Array.isArray(answer) ? answer : asObject(answer).markets;
  if (!Array.isArray(listed)) throw new UpstreamError('upstream_malformed', 'a market list has no markets');
  return {
    markets: listed.flatMap((entry) => readMarket(entry) ?? []),
    nextCursor: asText(asObject(answer).next_cursor),
  };
}

function readMarket(entry: unknown): ListedMarket | null {
  const market = asObject(entry);
  const conditionId = asText(market.conditionId);
  const tokens = readTextList(market.clobTokenIds);
  if (conditionId === null || tokens.length === 0) return null;
  return {
    conditionId,
    tokens,
    // Any field may be missing; only an explicit value closes the market.
    open:
      market.active !== false &&
      market.closed !== true &&
      market.archived !== true &&
      market.enableOrderBook !== false &&
      market.acceptingOrders !== false,
    dayVolume: asMagnitude(market.volume24hr ?? market.volume24hrClob),
    cryptoPrice: market.cryptoMarketConfig != null || asksAboutCoinPrice(asText(market.question) ?? ''),
  };
}

/**
 * Reads a list of strings from JSON text inside a string, which is how this catalog encodes lists. A market with
 * unreadable tokens has no book to watch; its catalog entry is published anyway.
 */
function readTextList(value: unknown): string[] {
  return asList(parseJsonOrNull(asText(value) ?? '')).filter((item) => typeof item === 'string');
}

const COIN = /\b(bitcoin|btc|ethereum|eth|ether|solana|sol|xrp|doge(coin)?|bnb|hype|hyperliquid)\b/i;
const PRICE = /\$|\b(price|above|below|under|over|between|reach|hit|dip|up or down|higher|lower)\b/i;

/** A guess that only affects which books are watched. The processors interpret the question. */
function asksAboutCoinPrice(question: string): boolean {
  return COIN.test(question) && PRICE.test(question);
}

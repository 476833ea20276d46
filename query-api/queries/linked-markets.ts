import type { Parameter } from '#infra/store/store';
import { marketKey } from '#schemas/domain/providers';
import type { EventLink } from '#schemas/topics/derived';

/** A market as links name it. */
export type LinkedMarket = Pick<EventLink, 'provider' | 'providerMarketId'>;

/**
 * Whether a row with `provider` and `marketId` is of one of the markets of `marketParameters`. Keys and indexes go by
 * the market's id; the rest, which is `marketKey`, is said since venues may use one id for different things.
 */
export const IS_OF_MARKETS = `marketId IN {marketIds:Array(String)}
  AND concat(provider, '|', marketId) IN {marketKeys:Array(String)}`;

/** The parameters of `IS_OF_MARKETS`. */
export function marketParameters(markets: readonly LinkedMarket[]): Record<string, Parameter> {
  return {
    marketIds: markets.map(({ providerMarketId }) => providerMarketId),
    marketKeys: markets.map(({ provider, providerMarketId }) => marketKey(provider, providerMarketId)),
  };
}

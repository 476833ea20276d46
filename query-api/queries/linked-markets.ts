import type { Parameter } from '#infra/store/store';
import { marketKey } from '#schemas/domain/providers';
import type { EventLink } from '#schemas/topics/derived';

/** A market, identified as in an event link. */
export type LinkedMarket = Pick<EventLink, 'provider' | 'providerMarketId'>;

/**
 * SQL condition: the row's `provider` and `marketId` are one of the markets of `marketParameters`. The first part uses
 * the indexes, which are by market id; the second is needed because two venues may use the same id for different
 * markets.
 */
export const IS_OF_MARKETS = `marketId IN {marketIds:Array(String)}
  AND concat(provider, '|', marketId) IN {marketKeys:Array(String)}`;

/** Parameters of `IS_OF_MARKETS`. */
export function marketParameters(markets: readonly LinkedMarket[]): Record<string, Parameter> {
  return {
    marketIds: markets.map(({ providerMarketId }) => providerMarketId),
    marketKeys: markets.map(({ provider, providerMarketId }) => marketKey(provider, providerMarketId)),
  };
}

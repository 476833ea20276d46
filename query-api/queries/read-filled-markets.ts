import type { Wallet } from '#schemas/domain/control/state';
import { PROVIDERS } from '#schemas/domain/providers';
import { covers } from '#schemas/venues/accounts';
import type { LinkedMarket } from './linked-markets.ts';
import { query, type Reader } from './query.ts';

/** Maximum of addresses per statement: they are sent in its URL. */
const ADDRESSES_MAX = 5_000;

/**
 * Reads the markets in which one of the wallets was maker or taker of a fill since `since` (unix ms, the venue's time)
 * that is not reverted. All versions of a trade have the same sorting key, maker and taker, so that only rows of the
 * wallets need to be merged; the newest version counts.
 */
export async function readFilledMarkets(
  store: Reader,
  wallets: readonly Pick<Wallet, 'provider' | 'address'>[],
  since: number,
): Promise<LinkedMarket[]> {
  const found: LinkedMarket[] = [];
  for (const provider of PROVIDERS) {
    const covering = wallets.filter((wallet) => covers(wallet.provider, provider));
    const addresses = [...new Set(covering.map(({ address }) => address))];
    for (let at = 0; at < addresses.length; at += ADDRESSES_MAX) {
      const part = addresses.slice(at, at + ADDRESSES_MAX);
      found.push(...(await marketsOf(store, provider, part, since)));
    }
  }
  return found;
}

function marketsOf(
  store: Reader,
  provider: string,
  addresses: readonly string[],
  since: number,
): Promise<LinkedMarket[]> {
  return query(store, {
    name: 'filled-markets',
    sql: `SELECT DISTINCT provider, providerMarketId FROM (
       SELECT provider, argMax(marketId, version) AS providerMarketId, argMax(status, version) AS newest
       FROM trades
       WHERE provider = {provider:String} AND ts >= fromUnixTimestamp64Milli({since:Int64})
         AND (maker IN {addresses:Array(String)} OR taker IN {addresses:Array(String)})
       GROUP BY provider, instrument, ts, arrival, id
     )
     WHERE newest != 'reverted' AND providerMarketId IS NOT NULL`,
    parameters: { provider, addresses, since },
    parse: (rows: LinkedMarket[]) => rows,
  });
}

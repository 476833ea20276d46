/** Pages through the fills of ledgers of all venues. */

import { cursorOf, type FillRange, newestFirst, type Placed, placeOf } from './fill-places.ts';
import { type CoinFill, readCoinFills, withOutcomes } from './fills-of-coins.ts';
import { type ChainFill, readChainFills, withTrades } from './fills-on-chain.ts';
import type { Reader } from './query.ts';
import { readCursor } from './time-cursor.ts';

export interface FillFilter extends Omit<FillRange, 'after'> {
  readonly cursor: string | null;
  /** Identifies the other parameters: a cursor is valid with those that it was returned for. */
  readonly scope: string;
}

export interface FillPage {
  readonly fills: readonly (ChainFill | CoinFill)[];
  readonly nextCursor: string | null;
}

/**
 * Pages through the fills of ledgers, newest first by the venue's time, then by log index. Reverted ones are listed with
 * the trade that was reverted. Throws 400 for an invalid cursor.
 */
export async function readFills(store: Reader, filter: FillFilter): Promise<FillPage> {
  const { ledgers, cursor, scope, limit } = filter;
  const after = cursor === null ? null : placeOf(readCursor(cursor), scope);
  const isOfCoins = ({ account }: { readonly account: string }) => account.startsWith('venue_a:');
  // One row more than requested shows whether there is a next page.
  const range = { ...filter, after, limit: limit + 1 };
  const [onChain, ofCoins] = await Promise.all([
    readChainFills(store, { ...range, ledgers: ledgers.filter((ledger) => !isOfCoins(ledger)) }),
    readCoinFills(store, { ...range, ledgers: ledgers.filter(isOfCoins) }),
  ]);
  const rows: Placed[] = [...onChain, ...ofCoins].sort(newestFirst);
  const own = new Set(rows.slice(0, limit));
  const last = rows[limit - 1];
  const [trades, coins] = await Promise.all([
    withTrades(
      store,
      onChain.filter((row) => own.has(row)),
    ),
    withOutcomes(
      store,
      ofCoins.filter((row) => own.has(row)),
    ),
  ]);
  const fills = [...trades, ...coins].sort((a, b) => newestFirst(placedOf(a), placedOf(b)));
  return { fills, nextCursor: rows.length > limit && last ? cursorOf(last, scope) : null };
}

function placedOf(fill: ChainFill | CoinFill): Placed {
  return 'own' in fill ? fill.own : fill;
}

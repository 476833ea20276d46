/**
 * What is true of an account of the simulated venue_a at a time: its fills, the ledger of each coin, what was deposited and
 * withdrawn, and its value. It follows from what the world states, by calculations of its own.
 */
import { isUnified } from '#schemas/domain/accounts/venue-a-account';
import type { Accounts } from '../venues/venue-a/accounts.ts';
import { markText } from '../venues/venue-a/contexts.ts';
import type { World } from '../world/world.ts';
import { exact, exactText, times } from './exact.ts';

/** Pairs with USDC of the tokens that accounts hold. */
const PAIRS: Readonly<Record<string, string>> = { HYPE: '@107', UBTC: '@142' };

interface Fill {
  readonly coin: string;
  readonly side: 'A' | 'B';
  readonly px: string;
  readonly sz: string;
  readonly time: number;
  readonly fee: string;
}

interface Lot {
  /** Negative for a short one. */
  size: bigint;
  readonly px: bigint;
}

/** Amounts are exact decimal text. */
export interface VenueATruth {
  /** The fills that the venue serves, oldest first. */
  readonly fills: readonly object[];
  /** First in, first out over these fills, by coin. */
  readonly books: readonly {
    readonly coin: string;
    readonly realized: string;
    readonly fees: string;
    readonly openPosition: string;
  }[];
  /** The flows are those from this time on, unix ms: that of the oldest fill, unless another one was asked for. */
  readonly flowsSince: number;
  /** What crossed the border of the account, negative for what left it. */
  readonly flows: readonly { readonly ts: number; readonly usd: string; readonly update: object }[];
  /** Null if the account owns something without a price, or a side of a question, whose price follows its book. */
  readonly navUsd: string | null;
}

/**
 * Null for an address that is no account.
 *
 * @param fromMs since when the flows are stated; null for those since the oldest fill that the venue serves.
 */
export function venueATruth(
  world: World,
  accounts: Accounts,
  user: string,
  atMs: number,
  fromMs: number | null = null,
): VenueATruth | null {
  if (world.population.indexOf(user) === null) return null;
  const fills = (accounts.userFills(user, atMs) as readonly Fill[]).toReversed();
  const flowsSince = fromMs ?? fills[0]?.time ?? atMs;
  return {
    fills,
    books: booksOf(fills),
    flowsSince,
    flows: accounts
      .ledger(user, flowsSince, atMs)
      .filter(({ units }) => units !== 0)
      .map(({ atMs: ts, units, update }) => ({ ts, usd: exactText(BigInt(units) * 10n ** 12n), update })),
    navUsd: navOf(world, accounts, user, atMs),
  };
}

function booksOf(fills: readonly Fill[]): VenueATruth['books'] {
  return [...new Set(fills.map(({ coin }) => coin))].sort().map((coin) => {
    const lots: Lot[] = [];
    let [realized, fees] = [0n, 0n];
    for (const { side, px, sz, fee } of fills.filter((fill) => fill.coin === coin)) {
      fees += exact(fee);
      realized += trade(lots, side === 'B' ? exact(sz) : -exact(sz), exact(px));
    }
    const open = lots.reduce((sum, { size }) => sum + size, 0n);
    return { coin, realized: exactText(realized), fees: exactText(fees), openPosition: exactText(open) };
  });
}

/** Closes the oldest lots of the other sign, then opens a lot with the rest. Returns what is realized. */
function trade(lots: Lot[], size: bigint, px: bigint): bigint {
  let [rest, realized] = [size, 0n];
  while (rest !== 0n && lots[0] && lots[0].size > 0n !== rest > 0n) {
    const [oldest] = lots;
    const isAll = absolute(oldest.size) <= absolute(rest);
    const closed = isAll ? oldest.size : -rest;
    realized += times(closed, px - oldest.px);
    oldest.size -= closed;
    rest += closed;
    if (oldest.size === 0n) lots.shift();
  }
  if (rest !== 0n) lots.push({ size: rest, px });
  return realized;
}

const absolute = (value: bigint) => (value < 0n ? -value : value);

function navOf(world: World, accounts: Accounts, user: string, atMs: number): string | null {
  const mode = accounts.userAbstraction(user) as Parameters<typeof isUnified>[0];
  const { balances } = accounts.spotClearinghouseState(user, atMs) as {
    balances: readonly { coin: string; total: string }[];
  };
  const priceOf = (coin: string): bigint | null => {
    if (coin === 'USDC') return exact('1');
    const ladder = world.ladders.permanent.find((one) => one.coin === PAIRS[coin]);
    return ladder ? exact(markText(world.settings.seed, ladder, atMs)) : null;
  };
  // In the unified modes the equity of the perpetuals is a spot balance.
  const dexes = isUnified(mode) ? [] : world.ladders.dexNames(atMs);
  let nav = 0n;
  for (const dex of dexes) {
    const state = accounts.clearinghouseState(user, dex, atMs) as { marginSummary: { accountValue: string } };
    nav += exact(state.marginSummary.accountValue);
  }
  for (const { coin, total } of balances) {
    const price = priceOf(coin);
    if (price === null) return null;
    nav += times(exact(total), price);
  }
  for (const { equity } of accounts.userVaultEquities(user) as readonly { equity: string }[]) nav += exact(equity);
  const staked = accounts.delegatorSummary(user) as Record<string, string>;
  const hype = exact(staked.delegated!) + exact(staked.undelegated!) + exact(staked.totalPendingWithdrawal!);
  return exactText(nav + times(hype, priceOf('HYPE')!));
}

/**
 * What is true of an account of the simulated venue_b at a time: what it did with the tokens of the markets that are not
 * redeemed for everyone yet, the ledger of each token, what was deposited and withdrawn, and its value. It follows from what
 * the world states, by calculations of its own.
 */
import { COLLATERAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import type { AccountEntry, AccountHistory } from '../venues/venue-b/account-history.ts';
import { BLOCK_MS, blockTime } from '../venues/venue-b/blocks.ts';
import { flowsBetween } from '../venues/venue-b/collateral-flows.ts';
import { type Holdings, priceOf } from '../venues/venue-b/holdings.ts';
import type { MarketBoard } from '../venues/venue-b/market-board.ts';
import { transactionHash } from '../venues/venue-b/match-logs.ts';
import { moveTransactionHash } from '../venues/venue-b/position-moves.ts';
import { NO_BUILDER } from '../world/accounts.ts';
import type { Question } from '../world/questions.ts';
import { DAY_MS } from '../world/time.ts';
import type { World } from '../world/world.ts';
import { exact, exactText, times } from './exact.ts';

/** Days before its time that the truth can state: as many as a backfill scans. */
const DAYS_MAX = 30;
const HALF = exact('0.5');
const ONE = exact('1');
/** Collateral and tokens have six decimals. */
const ofUnits = (units: number | bigint) => BigInt(units) * 10n ** 12n;
const absolute = (value: bigint) => (value < 0n ? -value : value);

/** One part of a lot of which the price is known. */
interface Lot {
  readonly builder: string | null;
  /** Negative for tokens that were sold before they were bought under this builder. */
  size: bigint;
  readonly price: bigint;
}

interface Book {
  readonly asset: string;
  readonly builder: string | null;
  realized: bigint;
  fees: bigint;
}

interface TrueFill {
  readonly ts: number;
  readonly block: number;
  readonly txHash: string;
  readonly role: 'maker' | 'taker';
  readonly asset: string;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly qty: string;
  readonly fee: string;
  readonly builder: string | null;
}

/** Amounts are exact decimal text. */
export interface VenueBTruth {
  /** The block as of which all of it is true. */
  readonly block: number;
  /**
   * Fills, moves and books are those from this time on, of all markets: a book contains nothing that was done before. Null if
   * they are those of the markets that are not redeemed for everyone, from the listing of each on. Unix ms.
   */
  readonly since: number | null;
  /** One for each maker order that it matched or was, oldest first. */
  readonly fills: readonly TrueFill[];
  readonly moves: readonly {
    readonly kind: 'split' | 'merge' | 'redeem';
    readonly ts: number;
    readonly block: number;
    readonly txHash: string | null;
    readonly marketId: string;
    readonly qty: string;
  }[];
  /** First in, first out over all that the account did with a token, by token and builder. */
  readonly books: readonly {
    readonly asset: string;
    readonly builder: string | null;
    readonly realized: string;
    readonly fees: string;
    readonly openPosition: string;
  }[];
  /** The flows are those from this time on, unix ms. */
  readonly flowsSince: number;
  /** What came in from outside, negative for what left. */
  readonly flows: readonly { readonly ts: number; readonly txHash: string; readonly usd: string }[];
  /** What the chain states that the account owns; the books without what was settled and not redeemed. */
  readonly positions: readonly { readonly asset: string; readonly size: string; readonly price: string }[];
  readonly cashUsd: string;
  readonly navUsd: string;
}

/** What the truth follows from. */
export interface VenueBSource {
  readonly board: MarketBoard;
  readonly history: AccountHistory;
  readonly holdings: Pick<Holdings, 'balanceOf'>;
}

const blocksOf = (ms: number) => ms / BLOCK_MS;

/**
 * Null for an address that is no account.
 *
 * @param from the first block of the fills, moves, books and flows, at most 30 days before the last one. Null: fills, moves and
 *   books are those of the markets that are not redeemed for everyone, and flows those of a day.
 */
export function* venueBTruth(
  world: World,
  { board, history, holdings }: VenueBSource,
  user: string,
  block: number,
  from: number | null = null,
): Generator<void, VenueBTruth | null> {
  const index = world.population.indexOf(user);
  if (index === null) return null;
  const account = world.population.accounts[index]!;
  const entries = yield* history.entries(account, block);
  let cash = 0n;
  for (const token of Object.values(COLLATERAL_TOKENS)) cash += yield* holdings.balanceOf(token, account, block);
  const positions = positionsOf(world, board, entries, block);
  const value = positions.reduce((sum, { size, price }) => sum + times(exact(size), exact(price)), 0n);
  const first = from === null ? null : Math.max(from, block - blocksOf(DAYS_MAX * DAY_MS));
  const stated = first === null ? entries : yield* history.entriesSince(account, first, block);
  const flowsFrom = first ?? block - blocksOf(DAY_MS);
  return {
    block,
    since: first === null ? null : blockTime(first),
    fills: stated.flatMap((entry) => fillsOf(world, entry)),
    moves: stated.flatMap((entry) => movesOf(world, entry)),
    books: booksOf(world, board, stated, block),
    flowsSince: blockTime(flowsFrom),
    flows: flowsBetween(world, index, flowsFrom, block).map(({ block: of, transactionHash: txHash, units }) => ({
      ts: blockTime(of),
      txHash,
      usd: exactText(ofUnits(units)),
    })),
    positions,
    cashUsd: exactText(ofUnits(cash)),
    navUsd: exactText(ofUnits(cash) + value),
  };
}

/** A taker has a fill for each maker order. Its fee is split by quantity, and the rest belongs to the last one. */
function fillsOf(world: World, entry: AccountEntry): TrueFill[] {
  if (entry.kind !== 'fill') return [];
  const { match, nth, order, question, block } = entry;
  const base = {
    ts: blockTime(block),
    block,
    txHash: transactionHash(world, match),
    asset: world.idsOf(question).tokenIds[order.token],
    side: order.isBuy ? ('buy' as const) : ('sell' as const),
    builder: order.builder === NO_BUILDER ? null : order.builder,
  };
  const isTaker = nth === match.legs.length;
  if (!isTaker) {
    // A maker of a mint or a merge traded the other token for the rest of a dollar.
    const { price, size } = match.legs[nth]!;
    const own = order.token === match.token ? price : 1_000 - price;
    return [{ ...base, role: 'maker', price: thousandths(own), qty: hundredths(size), fee: '0' }];
  }
  let left = ofUnits(order.fee);
  return match.legs.map(({ price, size }, at) => {
    const isLast = at === match.legs.length - 1;
    const fee = isLast ? left : halfEven(ofUnits(order.fee) * BigInt(size * 10_000), BigInt(order.quantity));
    left -= fee;
    return { ...base, role: 'taker' as const, price: thousandths(price), qty: hundredths(size), fee: exactText(fee) };
  });
}

function movesOf(world: World, entry: AccountEntry): VenueBTruth['moves'] {
  if (entry.kind === 'fill') return [];
  const { kind, block, question, cash } = entry;
  const txHash = entry.kind === 'redeem' ? null : moveTransactionHash(world, entry.match, entry.kind);
  const qty = exactText(absolute(ofUnits(cash)));
  return [{ kind, ts: blockTime(block), block, txHash, marketId: world.idsOf(question).conditionId, qty }];
}

function booksOf(
  world: World,
  board: MarketBoard,
  entries: readonly AccountEntry[],
  block: number,
): VenueBTruth['books'] {
  const lots = new Map<string, Lot[]>();
  const books = new Map<string, Book>();
  const bookOf = (asset: string, builder: string | null): Book => {
    const key = `${asset} ${builder}`;
    const known = books.get(key) ?? { asset, builder, realized: 0n, fees: 0n };
    books.set(key, known);
    return known;
  };
  const lotsOf = (asset: string): Lot[] => {
    const known = lots.get(asset) ?? [];
    lots.set(asset, known);
    return known;
  };
  /** Closes the oldest lots of the other sign in some books, each with its own result; returns what none covered. */
  const close = (asset: string, size: bigint, price: bigint, isIncluded: (lot: Lot) => boolean): bigint => {
    let rest = size;
    const own = lotsOf(asset);
    for (const lot of own) {
      if (rest === 0n) break;
      if (!isIncluded(lot) || lot.size > 0n === rest > 0n) continue;
      const closed = absolute(lot.size) <= absolute(rest) ? lot.size : -rest;
      bookOf(asset, lot.builder).realized += times(closed, price - lot.price);
      lot.size -= closed;
      rest += closed;
    }
    lots.set(
      asset,
      own.filter((lot) => lot.size !== 0n),
    );
    return rest;
  };
  const open = (asset: string, builder: string | null, size: bigint, price: bigint) => {
    bookOf(asset, builder);
    if (size !== 0n) lotsOf(asset).push({ builder, size, price });
  };
  for (const entry of entries) {
    const assets = world.idsOf(entry.question).tokenIds;
    for (const { asset, builder, side, price, qty, fee } of fillsOf(world, entry)) {
      bookOf(asset, builder).fees += exact(fee);
      const size = side === 'buy' ? exact(qty) : -exact(qty);
      open(
        asset,
        builder,
        close(asset, size, exact(price), (lot) => lot.builder === builder),
        exact(price),
      );
    }
    if (entry.kind === 'split') for (const asset of assets) open(asset, null, ofUnits(entry.move.units), HALF);
    if (entry.kind === 'merge')
      for (const asset of assets)
        open(
          asset,
          null,
          close(asset, -ofUnits(entry.move.units), HALF, () => true),
          HALF,
        );
  }
  for (const question of settledAmong(entries, block))
    for (const [side, asset] of world.idsOf(question).tokenIds.entries()) {
      const payout = board.isYes(question) === (side === 0) ? ONE : 0n;
      for (const lot of lotsOf(asset)) bookOf(asset, lot.builder).realized += times(lot.size, payout - lot.price);
      lots.delete(asset);
    }
  return [...books.values()].map(({ asset, builder, realized, fees }) => {
    const own = (lots.get(asset) ?? []).filter((lot) => lot.builder === builder);
    const position = own.reduce((sum, { size }) => sum + size, 0n);
    return { asset, builder, realized: exactText(realized), fees: exactText(fees), openPosition: exactText(position) };
  });
}

function settledAmong(entries: readonly AccountEntry[], block: number): Question[] {
  const questions = new Set(entries.map(({ question }) => question));
  return [...questions].filter(({ settledAtMs }) => settledAtMs <= blockTime(block));
}

function positionsOf(
  world: World,
  board: MarketBoard,
  entries: readonly AccountEntry[],
  block: number,
): VenueBTruth['positions'] {
  const questions = new Set(entries.map(({ question }) => question));
  return [...questions].flatMap((question) =>
    ([0, 1] as const).flatMap((side) => {
      const own = entries.filter((entry) => entry.question === question);
      const units = own.reduce((sum, { yes, no }) => sum + (side === 0 ? yes : no), 0);
      if (units <= 0) return [];
      const price = thousandths(priceOf(world, board, question, side, blockTime(block)));
      return [{ asset: world.idsOf(question).tokenIds[side], size: exactText(ofUnits(units)), price }];
    }),
  );
}

const thousandths = (price: number) => exactText(BigInt(price) * 10n ** 15n);
const hundredths = (size: number) => exactText(BigInt(size) * 10n ** 16n);

/** The quotient of whole numbers that are not negative, rounded half to even. */
function halfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = 2n * (dividend % divisor);
  if (twice < divisor || (twice === divisor && quotient % 2n === 0n)) return quotient;
  return quotient + 1n;
}

/**
 * What `info` answers about accounts (venue page, sections 3.2 and 4). Each account opens one position every two hours and
 * closes it an hour later; its fills, orders, cash and state follow from that, as a function of seed and time.
 */

import { isUnified } from '#schemas/domain/accounts/venue-a-account';
import { FILLS_OF_PAGE } from '#schemas/venues/venue-a/fills';
import { hashOf, STREAM } from '../../world/hash.ts';
import { ladderMid } from '../../world/ladders.ts';
import { HOUR_MS } from '../../world/time.ts';
import type { World } from '../../world/world.ts';
import { feeUnits, type Position, priceText, profitUnits } from './account-position.ts';
import { createCash, type LedgerEntry, UNIT } from './cash.ts';
import { markText } from './contexts.ts';
import { type AccountFill, asNodeStates, closeFill, openFill } from './fill-text.ts';
import { createHoldings, NOTHING_STAKED } from './holdings.ts';
import { filledOrder, takeProfit } from './order-text.ts';
import { LEVERAGE, type Marked, notionalOf, pnlOf, stateOf } from './state-text.ts';

/** Positions whose fills are returned; two fills each, fewer than the venue's limit of 2,000. */
const POSITIONS = 40;
const PERIOD_MS = 2 * HOUR_MS;
/** Time between two blocks. The fills of a block share its time. */
export const BLOCK_MS = 500;
/** Every so many positions end by a liquidation. */
const LIQUIDATED_EACH = 8;
/** Every so many positions are traded by TWAP orders. */
const TWAP_EACH = 5;
/** Every so many positions are traded under a builder. */
const BUILDER_EACH = 3;

type Rows = readonly object[];
/** Bounds of a request, both inclusive, as the client wrote them. */
export interface TimeRange {
  readonly startTime?: unknown;
  readonly endTime?: unknown;
}

/** Answers about accounts, null for an invalid request. Unknown accounts are answered like empty ones. */
export interface Accounts {
  clearinghouseState(user: unknown, dex: string, atMs: number): object | null;
  spotClearinghouseState(user: unknown, atMs: number): object | null;
  userAbstraction(user: unknown): string | null;
  /** USD of an account; null for one that is none. */
  usd(user: unknown, atMs: number): { readonly total: number; readonly perps: number } | null;
  userVaultEquities(user: unknown): Rows | null;
  delegatorSummary(user: unknown): object | null;
  frontendOpenOrders(user: unknown, dex: string, atMs: number): Rows | null;
  historicalOrders(user: unknown, atMs: number): Rows | null;
  userFills(user: unknown, atMs: number): Rows | null;
  /** A page of the fills that are no slices of TWAP orders, oldest first. */
  userFillsByTime(user: unknown, range: TimeRange, atMs: number): Rows | null;
  /** The same of the slices. */
  userTwapSliceFillsByTime(user: unknown, range: TimeRange, atMs: number): Rows | null;
  /** A part of the ledger of an account, oldest first: what crossed its border, and moves within it. */
  userNonFundingLedgerUpdates(user: unknown, range: TimeRange, atMs: number): Rows | null;
  /** The same with amounts. Empty for an address that is no account. */
  ledger(user: unknown, fromMs: number, toMs: number): readonly LedgerEntry[];
  /** The fills under a builder in [fromMs, toMs), oldest first. */
  builderFills(builder: string, fromMs: number, toMs: number): readonly UserFill[];
  /** The fills of all accounts in the block of a time. */
  fillsOfBlock(blockMs: number): readonly UserFill[];
  /** The same, each with its user, and as a node states them. */
  fillsAt(blockMs: number): readonly (readonly [user: string, fill: object])[];
}

/** A fill with its user. */
export interface UserFill {
  readonly user: string;
  readonly fill: AccountFill;
}

/** The addresses of builders on venue_a: the first 20 bytes of their codes on venue_b. */
export function builderAddresses({ population }: Pick<World, 'population'>): readonly string[] {
  return population.builders.map((code) => code.slice(0, 42));
}

export function createAccounts(world: World): Accounts {
  const { seed } = world.settings;
  const ladders = world.ladders.permanent.filter(({ kind }) => kind !== 'spot');
  const builders = builderAddresses(world);
  const draw = (account: number, nth: number, salt: number) => hashOf(seed, STREAM.account, account * 64 + salt, nth);

  const builderOf = (account: number, nth: number) =>
    (nth + account) % BUILDER_EACH === 0 ? builders[account % builders.length]! : null;
  const positionOf = (account: number, nth: number): Position => {
    const ladder = ladders[draw(account, nth, 8) % ladders.length]!;
    const openedAt = nth * PERIOD_MS + Math.floor((draw(account, nth, 9) % HOUR_MS) / BLOCK_MS) * BLOCK_MS;
    const closedAt = openedAt + HOUR_MS;
    const openPx = Number(priceText(ladder, ladderMid(seed, ladder, openedAt)));
    const usd = 500 + (draw(account, nth, 10) % 20_000);
    const step = 10 ** ladder.szDecimals;
    const size = Math.max(1, Math.round((usd / openPx) * step)) / step;
    const sign = draw(account, nth, 11) % 2 === 0 ? 1 : -1;
    const closePx = Number(priceText(ladder, ladderMid(seed, ladder, closedAt)));
    const isLiquidated = (nth + account) % LIQUIDATED_EACH === 0;
    const isTwap = (nth + account) % TWAP_EACH === 0;
    const builder = builderOf(account, nth);
    return {
      account,
      ladder,
      nth,
      openedAt,
      closedAt,
      size: sign * size,
      openPx,
      closePx,
      isLiquidated,
      isTwap,
      builder,
    };
  };
  const newest = (account: number, atMs: number, count = POSITIONS): Position[] => {
    const last = Math.floor(atMs / PERIOD_MS);
    return Array.from({ length: count }, (_, back) => positionOf(account, last - back)).filter(
      ({ openedAt }) => openedAt <= atMs,
    );
  };
  const openIn = (account: number, dex: string, atMs: number): Position[] =>
    // A position closes within the period in which it was opened, or within the next one.
    newest(account, atMs, 2).filter(({ closedAt, ladder }) => closedAt > atMs && ladder.dex === dex);
  const holdings = createHoldings(world);
  /** What the fills of a span earned: the fee of each, and the profit of each closing one. */
  const earnedIn = (account: number, fromMs: number, toMs: number) => {
    const last = Math.floor((toMs - 1) / PERIOD_MS);
    // A position of the period before may close in the span.
    const first = Math.floor(fromMs / PERIOD_MS) - 1;
    return Array.from({ length: last - first + 1 }, (_, nth) => positionOf(account, first + nth))
      .flatMap((position) => [
        { atMs: position.openedAt, units: -feeUnits(position, position.openPx) },
        { atMs: position.closedAt, units: profitUnits(position) - feeUnits(position, position.closePx) },
      ])
      .filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  };
  const cash = createCash(world, earnedIn, holdings.start);
  const cashAt = (account: number, atMs: number) => cash.unitsAt(account, atMs) / UNIT;
  const figuresOf = (account: number, marked: readonly Marked[], atMs: number) => ({
    cash: cashAt(account, atMs),
    pnl: pnlOf(marked),
    margin: notionalOf(marked) / LEVERAGE,
  });
  const allMarked = (account: number, atMs: number) =>
    world.ladders.dexNames(atMs).flatMap((dex) => markedIn(account, dex, atMs));
  const markedIn = (account: number | null, dex: string, atMs: number) =>
    (account === null ? [] : openIn(account, dex, atMs)).map((position) => ({
      position,
      px: Number(markText(seed, position.ladder, atMs)),
    }));
  const fillsOf = (user: string, position: Position, atMs: number) =>
    position.closedAt > atMs ? [openFill(position)] : [closeFill(position, user), openFill(position)];

  /** A page of the fills of positions that are traded by TWAP orders, or by none. */
  const pageOf = (user: unknown, isTwap: boolean, { startTime, endTime }: TimeRange, atMs: number) => {
    if (!isAddress(user) || typeof startTime !== 'number') return null;
    const account = world.population.indexOf(user);
    const positions = account === null ? [] : newest(account, atMs).filter((position) => position.isTwap === isTwap);
    const until = typeof endTime === 'number' ? endTime : atMs;
    return positions
      .flatMap((position) => fillsOf(user, position, atMs))
      .filter(({ time }) => time >= startTime && time <= until)
      .reverse()
      .slice(0, FILLS_OF_PAGE);
  };

  const ledgerOf = (user: unknown, fromMs: number, toMs: number) => {
    const account = world.population.indexOf(String(user));
    return account === null ? [] : cash.entries(account, fromMs, toMs);
  };

  /** Positions of all accounts by the time of their opening; of the periods that were asked for last. */
  const openings = new Map<number, ReadonlyMap<number, readonly Position[]>>();
  const openedAt = (blockMs: number): readonly Position[] => {
    const nth = Math.floor(blockMs / PERIOD_MS);
    const known = openings.get(nth);
    const ofPeriod =
      known ??
      groupBy(
        world.population.accounts.map((_, account) => positionOf(account, nth)),
        (position) => position.openedAt,
      );
    if (!known) openings.set(nth, ofPeriod);
    for (const old of openings.keys()) if (old < nth - 1) openings.delete(old);
    return ofPeriod.get(blockMs) ?? [];
  };
  const isDex = (dex: string, atMs: number) => world.ladders.dexNames(atMs).includes(dex);
  const addressOf = ({ account }: Position) => world.population.accounts[account]!;
  const inBlock = (blockMs: number) => [
    ...openedAt(blockMs - HOUR_MS).map((position) => {
      const user = addressOf(position);
      return { user, position, fill: closeFill(position, user) };
    }),
    ...openedAt(blockMs).map((position) => ({ user: addressOf(position), position, fill: openFill(position) })),
  ];

  return {
    fillsOfBlock: (blockMs) => inBlock(blockMs),
    fillsAt: (blockMs) => inBlock(blockMs).map(({ user, position, fill }) => [user, asNodeStates(position, fill)]),
    builderFills(builder, fromMs, toMs) {
      const first = Math.floor(fromMs / PERIOD_MS) - 1;
      const last = Math.floor((toMs - 1) / PERIOD_MS);
      return world.population.accounts
        .flatMap((user, account) =>
          Array.from({ length: last - first + 1 }, (_, at) => first + at)
            // Before the prices, which take most of the time.
            .filter((nth) => builderOf(account, nth) === builder)
            .map((nth) => positionOf(account, nth))
            .flatMap((position) => [openFill(position), closeFill(position, user)].map((fill) => ({ user, fill }))),
        )
        .filter(({ fill }) => fill.time >= fromMs && fill.time < toMs)
        .sort((a, b) => a.fill.time - b.fill.time);
    },
    clearinghouseState(user, dex, atMs) {
      if (!isAddress(user) || !isDex(dex, atMs)) return null;
      const account = world.population.indexOf(user);
      // In the unified modes all equity is in the spot balances.
      const isStandard = account !== null && !isUnified(holdings.mode(account));
      return stateOf(markedIn(account, dex, atMs), isStandard && dex === '' ? cashAt(account, atMs) : 0, atMs);
    },
    spotClearinghouseState(user, atMs) {
      if (!isAddress(user)) return null;
      const account = world.population.indexOf(user);
      if (account === null) return { balances: [] };
      const marked = allMarked(account, atMs);
      return {
        balances: holdings.balances(account, figuresOf(account, marked, atMs), atMs),
      };
    },
    usd(user, atMs) {
      const account = isAddress(user) ? world.population.indexOf(user) : null;
      if (account === null) return null;
      const marked = allMarked(account, atMs);
      const pnl = pnlOf(marked);
      const others = holdings.usd(account, figuresOf(account, marked, atMs), atMs);
      const isIncluded = isUnified(holdings.mode(account));
      const perps = isIncluded ? pnl : cashAt(account, atMs) + pnl;
      return { total: isIncluded ? others : perps + others, perps };
    },
    userAbstraction(user) {
      if (!isAddress(user)) return null;
      const account = world.population.indexOf(user);
      return account === null ? 'default' : holdings.mode(account);
    },
    userVaultEquities(user) {
      if (!isAddress(user)) return null;
      const account = world.population.indexOf(user);
      return account === null ? [] : holdings.vaults(account);
    },
    delegatorSummary(user) {
      if (!isAddress(user)) return null;
      const account = world.population.indexOf(user);
      return account === null ? NOTHING_STAKED : holdings.staked(account);
    },
    frontendOpenOrders(user, dex, atMs) {
      if (!isAddress(user) || !isDex(dex, atMs)) return null;
      const account = world.population.indexOf(user);
      if (account === null) return [];
      // One resting order that would take a profit of three percent.
      return openIn(account, dex, atMs).map((position) => takeProfit(position));
    },
    historicalOrders(user, atMs) {
      if (!isAddress(user)) return null;
      const account = world.population.indexOf(user);
      if (account === null) return [];
      return newest(account, atMs)
        .flatMap((position) => fillsOf(user, position, atMs))
        .map((fill) => ({ order: filledOrder(fill), status: 'filled', statusTimestamp: fill.time }));
    },
    userFills(user, atMs) {
      if (!isAddress(user)) return null;
      const account = world.population.indexOf(user);
      return account === null ? [] : newest(account, atMs).flatMap((position) => fillsOf(user, position, atMs));
    },
    userNonFundingLedgerUpdates(user, { startTime, endTime }, atMs) {
      if (!isAddress(user)) return null;
      const from = typeof startTime === 'number' ? startTime : 0;
      const until = typeof endTime === 'number' ? Math.min(endTime, atMs) : atMs;
      return ledgerOf(user, from, until).map(({ update }) => update);
    },
    ledger: ledgerOf,
    userFillsByTime: (user, range, atMs) => pageOf(user, false, range, atMs),
    userTwapSliceFillsByTime: (user, range, atMs) =>
      pageOf(user, true, range, atMs)?.map((fill) => ({ fill, twapId: fill.twapId })) ?? null,
  };
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => number): ReadonlyMap<number, readonly T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

const isAddress = (user: unknown): user is string => typeof user === 'string' && /^0x[0-9a-fA-F]{40}$/.test(user);

/**
 * What `info` answers about accounts (venue page, sections 3.2 and 4). Each account opens one position every two hours and
 * closes it an hour later; its fills, orders, cash and state follow from that, as a function of seed and time.
 */

import { isUnified } from '#schemas/domain/accounts/venue-a-account';
import { FILLS_OF_PAGE } from '#schemas/venues/venue-a/fills';
import { hashOf, STREAM } from '../../world/hash.ts';
import { type Ladder, ladderMid } from '../../world/ladders.ts';
import { amountText } from '../../world/number-text.ts';
import { HOUR_MS } from '../../world/time.ts';
import type { World } from '../../world/world.ts';
import { createCash, type LedgerEntry, UNIT, usdText } from './cash.ts';
import { markText } from './contexts.ts';
import { createHoldings, NOTHING_STAKED } from './holdings.ts';

/** Positions whose fills are returned; two fills each, fewer than the venue's limit of 2,000. */
const POSITIONS = 40;
const PERIOD_MS = 2 * HOUR_MS;
/** Time between two blocks. The fills of a block share its time. */
export const BLOCK_MS = 500;
/** Every so many positions end by a liquidation. */
const LIQUIDATED_EACH = 8;
/** Every so many positions are traded by TWAP orders. */
const TWAP_EACH = 5;
const TAKER_FEE = 0.00045;
const LEVERAGE = 10;
const ZERO_HASH = `0x${'0'.repeat(64)}`;

/** A position of one account. */
interface Position {
  readonly account: number;
  readonly ladder: Ladder;
  readonly nth: number;
  readonly openedAt: number;
  readonly closedAt: number;
  /** Coins; negative for a short position. */
  readonly size: number;
  readonly openPx: number;
  readonly closePx: number;
  readonly isLiquidated: boolean;
  readonly isTwap: boolean;
}

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
  /** The fills of all accounts in the block of a time, each with its user. */
  fillsAt(blockMs: number): readonly (readonly [user: string, fill: object])[];
}

export function createAccounts(world: World): Accounts {
  const { seed } = world.settings;
  const ladders = world.ladders.permanent.filter(({ kind }) => kind !== 'spot');
  const draw = (account: number, nth: number, salt: number) => hashOf(seed, STREAM.account, account * 64 + salt, nth);

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
    return { account, ladder, nth, openedAt, closedAt, size: sign * size, openPx, closePx, isLiquidated, isTwap };
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

  return {
    fillsAt(blockMs) {
      const closed = openedAt(blockMs - HOUR_MS).map((position) => {
        const user = addressOf(position);
        return [user, closeFill(position, user)] as const;
      });
      return [...closed, ...openedAt(blockMs).map((position) => [addressOf(position), openFill(position)] as const)];
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
const priceText = ({ maxDecimals }: Ladder, px: number) => amountText(px, Math.min(maxDecimals, 4));
const sizeText = ({ szDecimals }: Ladder, size: number) => amountText(Math.abs(size), szDecimals);
const orderId = ({ account, nth }: Position, salt: number) => (nth * 1_000 + account) * 4 + salt;

/** Whole millionths of USD. */
const profitUnits = ({ size, openPx, closePx }: Position) => Math.round(size * (closePx - openPx) * UNIT);
const feeUnits = ({ size }: Position, px: number) => Math.round(Math.abs(size) * px * TAKER_FEE * UNIT);

interface Marked {
  readonly position: Position;
  readonly px: number;
}

const sumOf = (marked: readonly Marked[], figure: (entry: Marked) => number) =>
  marked.reduce((total, entry) => total + figure(entry), 0);
const notionalOf = (marked: readonly Marked[]) => sumOf(marked, ({ position, px }) => Math.abs(position.size) * px);
const pnlOf = (marked: readonly Marked[]) =>
  sumOf(marked, ({ position, px }) => position.size * (px - position.openPx));

function stateOf(marked: readonly Marked[], cash: number, atMs: number) {
  const [notional, pnl] = [notionalOf(marked), pnlOf(marked)];
  const summary = {
    accountValue: amountText(cash + pnl, 6),
    totalNtlPos: amountText(notional, 6),
    totalRawUsd: amountText(cash - sumOf(marked, ({ position }) => position.size * position.openPx), 6),
    totalMarginUsed: amountText(notional / LEVERAGE, 6),
  };
  return {
    marginSummary: summary,
    crossMarginSummary: summary,
    crossMaintenanceMarginUsed: amountText(notional / LEVERAGE / 2, 6),
    withdrawable: amountText(Math.max(0, cash + pnl - notional / LEVERAGE), 6),
    assetPositions: marked.map(({ position, px }) => ({ type: 'oneWay', position: positionText(position, px) })),
    time: atMs,
  };
}

function positionText(position: Position, px: number) {
  const { ladder, size, openPx } = position;
  const value = Math.abs(size) * px;
  const pnl = size * (px - openPx);
  const cumFunding = { allTime: '0.0', sinceOpen: '0.0', sinceChange: '0.0' };
  return {
    coin: ladder.coin,
    szi: amountText(size, ladder.szDecimals),
    leverage: { type: 'cross', value: LEVERAGE },
    entryPx: priceText(ladder, openPx),
    positionValue: amountText(value, 6),
    unrealizedPnl: amountText(pnl, 6),
    returnOnEquity: amountText((pnl * LEVERAGE) / (Math.abs(size) * openPx), 10),
    liquidationPx: null,
    marginUsed: amountText(value / LEVERAGE, 6),
    maxLeverage: 20,
    cumFunding,
  };
}

function openFill(position: Position) {
  const { ladder, size, openPx, openedAt } = position;
  return {
    ...fillOf(position, openPx, openedAt, 0),
    side: size > 0 ? 'B' : 'A',
    startPosition: '0.0',
    dir: size > 0 ? 'Open Long' : 'Open Short',
    closedPnl: '0.0',
    sz: sizeText(ladder, size),
  };
}

function closeFill(position: Position, user: string) {
  const { ladder, size, closePx, closedAt, isLiquidated } = position;
  return {
    ...fillOf(position, closePx, closedAt, 1),
    side: size > 0 ? 'A' : 'B',
    startPosition: amountText(size, ladder.szDecimals),
    dir: size > 0 ? 'Close Long' : 'Close Short',
    closedPnl: usdText(profitUnits(position)),
    sz: sizeText(ladder, size),
    ...(isLiquidated
      ? { liquidation: { liquidatedUser: user, markPx: priceText(ladder, closePx), method: 'market' } }
      : {}),
  };
}

function fillOf(position: Position, px: number, time: number, salt: number) {
  const { ladder, isTwap, nth } = position;
  return {
    coin: ladder.coin,
    px: priceText(ladder, px),
    time,
    hash: ZERO_HASH,
    oid: orderId(position, salt),
    crossed: true,
    fee: usdText(feeUnits(position, px)),
    tid: orderId(position, salt) * 2 + 1,
    feeToken: 'USDC',
    twapId: isTwap ? nth : null,
  };
}

const ORDER = {
  triggerCondition: 'N/A',
  isTrigger: false,
  triggerPx: '0.0',
  children: [],
  isPositionTpsl: false,
  cloid: null,
} as const;

function filledOrder(fill: ReturnType<typeof openFill>) {
  const { coin, side, px, sz, oid, time } = fill;
  const reduceOnly = fill.startPosition !== '0.0';
  const order = { coin, side, limitPx: px, sz: '0.0', oid, timestamp: time, origSz: sz };
  return { ...order, ...ORDER, reduceOnly, orderType: 'Market', tif: 'FrontendMarket' };
}

function takeProfit(position: Position) {
  const { ladder, size, openPx, openedAt } = position;
  const sz = sizeText(ladder, size);
  const limitPx = priceText(ladder, openPx * (size > 0 ? 1.03 : 0.97));
  const side = size > 0 ? 'A' : 'B';
  const order = { coin: ladder.coin, side, limitPx, sz, oid: orderId(position, 2), timestamp: openedAt, origSz: sz };
  return { ...order, ...ORDER, reduceOnly: true, orderType: 'Limit', tif: 'Gtc' };
}

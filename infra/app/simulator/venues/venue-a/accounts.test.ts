import { describe, expect, it } from 'vitest';
import { toNumber, ZERO } from '#schemas/domain/decimal';
import { netDeposits } from '#schemas/domain/returns/series';
import { readLedgerUpdates, venueAFlow } from '#schemas/domain/returns/venue-a-flows';
import { readPortfolio } from '#schemas/domain/returns/venue-a-series';
import { BEFORE_THE_HOUR, SMALL } from '../../simulation.fixture.ts';
import { HOUR_MS } from '../../world/time.ts';
import { createWorld } from '../../world/world.ts';
import { createAccounts } from './accounts.ts';
import { markText } from './contexts.ts';
import { portfolio } from './portfolio.ts';

const world = createWorld(SMALL);
const accounts = createAccounts(world);
const USER = world.population.account(0);
const NOBODY = `0x${'9'.repeat(40)}`;
type Fill = { coin: string; time: number; liquidation?: { liquidatedUser: string }; startPosition: string };

describe('accounts of the simulated venue', () => {
  it('have fills newest first, of which some are liquidations of the account, as a function of seed and time', () => {
    const fills = accounts.userFills(USER, BEFORE_THE_HOUR) as Fill[];
    const times = fills.map(({ time }) => time);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(times[0]).toBeLessThanOrEqual(BEFORE_THE_HOUR);
    const liquidated = fills.filter(({ liquidation }) => liquidation);
    expect(liquidated.length).toBeGreaterThan(0);
    expect(liquidated.every(({ liquidation }) => liquidation!.liquidatedUser === USER)).toBe(true);
    expect(
      createAccounts(createWorld(SMALL)).userFills(USER.toUpperCase().replace('X', 'x'), BEFORE_THE_HOUR),
    ).toHaveLength(fills.length);
  });

  it('have the same fills by time, oldest first: the slices of TWAP orders in a list of their own', () => {
    const all = accounts.userFills(USER, BEFORE_THE_HOUR) as Fill[];
    const everything = { startTime: 0 };
    const orders = accounts.userFillsByTime(USER, everything, BEFORE_THE_HOUR) as Fill[];
    const slices = accounts.userTwapSliceFillsByTime(USER, everything, BEFORE_THE_HOUR) as { fill: Fill }[];
    expect(slices.length).toBeGreaterThan(0);
    const both = [...orders, ...slices.map(({ fill }) => fill)];
    expect(both.sort((a, b) => b.time - a.time)).toEqual(all);
    const [first, second] = orders.map(({ time }) => time);
    expect(accounts.userFillsByTime(USER, { startTime: first, endTime: second }, BEFORE_THE_HOUR)).toEqual(
      orders.slice(0, 2),
    );
    expect(accounts.userFillsByTime(USER, {}, BEFORE_THE_HOUR)).toBeNull();
  });

  it('hold a position from its opening to its closing fill, on the dex of its coin, with one resting order', () => {
    const [opening] = (accounts.userFills(USER, BEFORE_THE_HOUR) as Fill[]).filter(
      (fill) => fill.startPosition === '0.0',
    );
    const dex = opening!.coin.includes(':') ? opening!.coin.split(':')[0]! : '';
    const positionsAt = (atMs: number) =>
      (accounts.clearinghouseState(USER, dex, atMs) as { assetPositions: { position: { coin: string } }[] })
        .assetPositions;
    expect(positionsAt(opening!.time).map(({ position }) => position.coin)).toEqual([opening!.coin]);
    expect(accounts.frontendOpenOrders(USER, dex, opening!.time)).toMatchObject([
      { coin: opening!.coin, reduceOnly: true },
    ]);
    expect(positionsAt(opening!.time + HOUR_MS)).toEqual([]);
    expect(positionsAt(opening!.time - 1)).toEqual([]);
  });

  it('are empty for an unknown address, and no answer for an invalid one or an unknown dex', () => {
    expect(accounts.userFills(NOBODY, BEFORE_THE_HOUR)).toEqual([]);
    expect(accounts.historicalOrders(NOBODY, BEFORE_THE_HOUR)).toEqual([]);
    expect(accounts.spotClearinghouseState(NOBODY, BEFORE_THE_HOUR)).toEqual({ balances: [] });
    expect(accounts.clearinghouseState(NOBODY, '', BEFORE_THE_HOUR)).toMatchObject({ assetPositions: [] });
    expect(accounts.userFills('0x1', BEFORE_THE_HOUR)).toBeNull();
    expect(accounts.clearinghouseState(USER, 'none', BEFORE_THE_HOUR)).toBeNull();
  });

  it('have a series whose value is that of their states, and whose profit is its change without deposits', () => {
    const native = portfolio(world, accounts, USER, BEFORE_THE_HOUR);
    const series = readPortfolio(native);
    const priceOf = (coin: string, atMs: number) => {
      const pair = { HYPE: '@107', UBTC: '@142' }[coin];
      const ladder = world.ladders.permanent.find((one) => one.coin === pair);
      return ladder ? Number(markText(world.settings.seed, ladder, atMs)) : 1;
    };
    const valueAt = (atMs: number) => {
      const states = world.ladders.dexNames(atMs).map((dex) => accounts.clearinghouseState(USER, dex, atMs)) as {
        marginSummary: { accountValue: string };
      }[];
      const { balances } = accounts.spotClearinghouseState(USER, atMs) as {
        balances: { coin: string; total: string }[];
      };
      const spot = balances.map(({ coin, total }) => Number(total) * priceOf(coin, atMs));
      return [...states.map((state) => Number(state.marginSummary.accountValue)), ...spot].reduce((a, b) => a + b);
    };
    const depositsBetween = (startTime: number, endTime: number) =>
      readLedgerUpdates(accounts.userNonFundingLedgerUpdates(USER, { startTime, endTime }, BEFORE_THE_HOUR))
        .map((update) => venueAFlow(update, USER, () => null)?.usd ?? ZERO)
        .reduce<bigint>((sum, usd) => sum + usd, 0n);
    expect(depositsBetween(0, BEFORE_THE_HOUR)).not.toBe(0n);
    for (const [window, points] of Object.entries(series)) {
      expect(points.length, window).toBeGreaterThan(12);
      expect(points.at(-1)!.ts).toBe(BEFORE_THE_HOUR);
      for (const { ts, nav, pnl } of points) {
        expect(toNumber(nav!)).toBeCloseTo(valueAt(ts), 4);
        expect(netDeposits(nav, pnl)).toBe(points[0]!.nav! + depositsBetween(points[0]!.ts + 1, ts));
      }
    }
    expect(series['1D'][0]!.ts).toBeGreaterThanOrEqual(BEFORE_THE_HOUR - 24 * HOUR_MS);
  });

  it('have the cash that their fills and their ledger leave', () => {
    const standard = world.population.accounts.find((user) => accounts.userAbstraction(user) === 'default')!;
    const cashAt = (atMs: number) => {
      const { marginSummary, assetPositions } = accounts.clearinghouseState(standard, '', atMs) as {
        marginSummary: { accountValue: string };
        assetPositions: { position: { unrealizedPnl: string } }[];
      };
      const unrealized = assetPositions.map(({ position }) => Number(position.unrealizedPnl));
      return unrealized.reduce((cash, pnl) => cash - pnl, Number(marginSummary.accountValue));
    };
    const since = BEFORE_THE_HOUR - 30 * HOUR_MS;
    const fills = (accounts.userFills(standard, BEFORE_THE_HOUR) as { time: number; closedPnl: string; fee: string }[])
      .filter(({ time }) => time > since)
      .map(({ closedPnl, fee }) => Number(closedPnl) - Number(fee));
    const deposits = accounts.ledger(standard, since + 1, BEFORE_THE_HOUR).map(({ units }) => units / 1_000_000);
    expect(deposits.length).toBeGreaterThan(2);
    expect(cashAt(BEFORE_THE_HOUR)).toBeCloseTo(
      [...fills, ...deposits].reduce((sum, usd) => sum + usd, cashAt(since)),
      4,
    );
  });

  it('have no series for an unknown address, and no answer for an invalid one', () => {
    const unknown = readPortfolio(portfolio(world, accounts, NOBODY, BEFORE_THE_HOUR));
    expect(Object.values(unknown)).toEqual([[], [], [], []]);
    expect(portfolio(world, accounts, '0x1', BEFORE_THE_HOUR)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { BEFORE_THE_HOUR, SMALL } from '../simulation.fixture.ts';
import { createAccounts } from '../venues/venue-a/accounts.ts';
import { createWorld } from '../world/world.ts';
import { exact, exactText, times } from './exact.ts';
import { venueATruth } from './venue-a-truth.ts';

const world = createWorld(SMALL);
const accounts = createAccounts(world);
const truthOf = (account: number) =>
  venueATruth(world, accounts, world.population.accounts[account]!, BEFORE_THE_HOUR)!;

describe('exact decimals of the truth', () => {
  it.each(['0', '12.5', '-0.000001', '100000000000.000000000000000001'])('read and write %s', (text) => {
    expect(exactText(exact(text))).toBe(text);
  });

  it('multiply without rounding', () => {
    expect(exactText(times(exact('-0.00001'), exact('123456.789')))).toBe('-1.23456789');
  });
});

describe('the truth of an account of venue_a', () => {
  it('realizes what the venue states as closed profit, up to its rounding', () => {
    for (const account of [0, 7, 100]) {
      const { fills, books } = truthOf(account);
      const closed = (fills as { closedPnl: string }[]).reduce((sum, { closedPnl }) => sum + Number(closedPnl), 0);
      const realized = books.reduce((sum, book) => sum + Number(book.realized), 0);
      // The oldest fill may close a position whose opening the venue does not serve any more.
      expect(fills.length).toBeGreaterThan(70);
      expect(realized).toBeCloseTo(closed, 3);
    }
  });

  it('has a value, unless the account owns something whose price it does not know', () => {
    // Accounts 1 of each four hold a side of a question, and 49 a token without a price.
    expect([0, 1, 2, 49].map((account) => truthOf(account).navUsd === null)).toEqual([false, true, false, true]);
    // The account 6 stakes, and the account 0 does not. What the series of the venue state agrees with both.
    for (const [account, stakes] of [
      [0, false],
      [6, true],
    ] as const) {
      const user = world.population.accounts[account]!;
      const { delegated } = accounts.delegatorSummary(user) as { delegated: string };
      expect(Number(delegated) > 0).toBe(stakes);
      expect(Number(truthOf(account).navUsd)).toBeCloseTo(accounts.usd(user, BEFORE_THE_HOUR)!.total, 4);
    }
  });

  it('has every flow from a time on, and without one those since the oldest fill', () => {
    const user = world.population.accounts[0]!;
    const whole = venueATruth(world, accounts, user, BEFORE_THE_HOUR, 0)!;
    const updates = accounts.userNonFundingLedgerUpdates(user, { startTime: 0 }, BEFORE_THE_HOUR)!;
    const stated = whole.flows.map(({ update }) => update);
    expect(whole.flowsSince).toBe(0);
    expect(stated.length).toBeGreaterThan(100);
    expect(updates).toEqual(expect.arrayContaining(stated));
    const short = truthOf(0);
    expect(short.flowsSince).toBe((short.fills[0] as { time: number }).time);
    expect(short.flows).toEqual(whole.flows.filter(({ ts }) => ts >= short.flowsSince));
  });

  it('is null for an address that is no account', () => {
    expect(venueATruth(world, accounts, `0x${'9'.repeat(40)}`, BEFORE_THE_HOUR)).toBeNull();
  });
});

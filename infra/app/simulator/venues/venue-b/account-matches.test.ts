import { expect, it } from 'vitest';
import { BEFORE_THE_HOUR, createTestSimulation } from '../../simulation.fixture.ts';
import { createAccountMatches } from './account-matches.ts';
import { mayHaveOrder } from './match-orders.ts';

const VERSIONS = 1_000;

it('finds the versions of a market that are matches in which an account may have an order, injected ones for everyone', () => {
  const inject = [{ kind: 'wallet_burst', venue: 'venue_b', slot: 0, atMs: BEFORE_THE_HOUR }] as const;
  const { world } = createTestSimulation({ seed: 3, rate: 60, events: 3, coins: 4, inject });
  const { schedule, injections, population } = world;
  const series = world.seriesOf('question', 0);
  const near = schedule.versionAt(series, injections!.all[0]!.happensAtMs);
  const injected = [near, near + 1].find((version) => injections!.ofEvent(schedule.eventOf(series, version)) !== null)!;
  const [from, to] = [injected - VERSIONS + 3, injected + 3];
  const matches = createAccountMatches(world);
  let found = 0;
  for (const account of [...population.accounts.slice(0, 20), ...population.accounts.slice(-20)]) {
    const expected = Array.from({ length: VERSIONS }, (_, nth) => from + nth).filter((version) => {
      const event = { event: schedule.eventOf(series, version) };
      return world.isMatch(0, version) && mayHaveOrder(world, event, new Set([account]));
    });
    expect(matches.versionsOf(account, 0, from, to)).toEqual(expected);
    expect(expected).toContain(injected);
    found += expected.length;
  }
  expect(found).toBeGreaterThan(100);
  expect(matches.versionsOf('0x0', 0, from, to)).toEqual([injected]);
});

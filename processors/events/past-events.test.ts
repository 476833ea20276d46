import { expect, it } from 'vitest';
import { archiveCutoff, isArchived } from '#schemas/domain/archived-events';
import { clockTopic } from '#schemas/topics/control';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import { type Market, marketTopics } from '#schemas/topics/normalised';
import type { DrivenOutput } from '../testing/drive-stage.fixture.ts';
import { probeStage } from '../testing/stage-probe.fixture.ts';
import { daily, harness as eventsHarness, NOON_ET, outcome, RESOLVED } from './events.fixture.ts';
import { createEventsStage } from './stage.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2031, 2, 1, 7);

function market(marketId: string, changes: Partial<Market> = {}): Market {
  return {
    provider: 'venue_b',
    marketId,
    receivedAt: START,
    title: `Will the bridge of ${marketId} open?`,
    description: '',
    groupTitle: null,
    groupItemTitle: null,
    slug: null,
    resolutionSource: null,
    startTime: null,
    endTime: null,
    instruments: [`${marketId}-yes`, `${marketId}-no`],
    outcomes: ['Yes', 'No'],
    active: false,
    closed: true,
    takerFeeRate: null,
    fields: '{}',
    resolved: true,
    name: null,
    ...changes,
  };
}

function harness() {
  const probe = probeStage(createEventsStage());
  /** What the topic holds of each event. */
  const held = new Map<string, UniversalEvent>();
  const note = (outputs: DrivenOutput[]) => {
    const events = outputs.filter(({ topic }) => topic === eventTopic.name);
    for (const { key, value } of events) {
      if (value) held.set(key, value as UniversalEvent);
      else held.delete(key);
    }
    return events;
  };
  return {
    held,
    tell: (told: Market) => note(probe.send(marketTopics.venue_b, told.marketId, told)),
    mark: (receivedAt: number) =>
      note(
        probe.send(clockTopic, 'clock', { receivedAt, tick: true, hour: true, day: receivedAt % DAY_MS < 3_600_000 }),
      ),
    restart: () => probe.restart(),
  };
}

it('takes a past market in, tells of its event, and takes that out of the topic within the hour', () => {
  const { tell, mark, held, restart } = harness();
  mark(START);
  const [told] = tell(market('0xold', { endTime: START - 400 * DAY_MS }));
  expect(told!.value).toMatchObject({ status: 'resolved', resolutionTime: START - 400 * DAY_MS });
  tell(market('0xlate', { endTime: START - 80 * DAY_MS }));
  tell(market('0xopen', { closed: false, active: true, resolved: false, endTime: START - 400 * DAY_MS }));
  restart();
  expect(mark(START + 3_600_000)).toMatchObject([{ key: told!.key, value: null }]);
  expect([...held.values()].map(({ links }) => links[0]!.providerMarketId)).toEqual(['0xlate', '0xopen']);
  // Nothing of it is left: it is founded anew where it comes again.
  expect(tell(market('0xold', { endTime: START - 400 * DAY_MS, slug: 's' }))).toMatchObject([{ key: told!.key }]);
});

const LIVE: Partial<Market> = { closed: false, active: true, resolved: false };
const days = (count: number) => START + count * DAY_MS;

it('takes out what was over 90 days before the UTC day: since its end where it came over, else since that was told', () => {
  const { tell, mark, held } = harness();
  const overAt = (marketId: string) =>
    [...held.values()].find(({ links }) => links[0]!.providerMarketId === marketId)!.overAt;
  for (const [marketId, endTime, end] of [
    ['0xended', days(-3), days(-3)],
    ['0xearly', days(5), START],
    ['0xundated', null, START],
  ] as const) {
    tell(market(marketId, { endTime }));
    expect(overAt(marketId), marketId).toBe(end);
  }
  // It outlived its date by 100 days, while the chain that resolves it was not heard.
  tell(market('0xoutlived', { ...LIVE, endTime: days(-100) }));
  expect(overAt('0xoutlived')).toBeNull();
  tell(market('0xoutlived', { resolved: false, endTime: days(-100), receivedAt: days(1) }));
  expect(overAt('0xoutlived')).toBe(days(1));
  for (let day = 1; day <= 92; day += 1) {
    mark(days(day));
    // Never is something gone that is not past to everyone else, nor the other way about.
    for (const event of held.values()) expect(isArchived(event, archiveCutoff(days(day)))).toBe(false);
    expect(held.size, `day ${day}`).toBe(day <= 87 ? 4 : day <= 90 ? 3 : day <= 91 ? 1 : 0);
  }
});

it('is closed by its catalogs alone, before its date or without any, and open again where a market reopens', () => {
  const { tell, mark, held } = harness();
  const newest = () => [...held.values()][0]!;
  for (const endTime of [null, days(30)]) {
    tell(market('0xa', { ...LIVE, endTime }));
    expect(newest()).toMatchObject({ status: 'open', overAt: null });
    tell(market('0xa', { resolved: false, endTime, receivedAt: days(1) }));
    expect(newest()).toMatchObject({ status: 'closed', overAt: days(1) });
  }
  tell(market('0xa', { ...LIVE, receivedAt: days(2) }));
  expect(newest()).toMatchObject({ status: 'open', overAt: null });
  tell(market('0xa', { resolved: false, receivedAt: days(3) }));
  for (let day = 3; day <= 93; day += 1) mark(days(day));
  expect(held.size).toBe(1);
  mark(days(94));
  expect(held.size).toBe(0);
});

it('is over as the last of its markets is, and never what was merged', () => {
  const { newest, tell, resolve, clock } = eventsHarness();
  tell(daily('0xa'));
  const [{ universalId }] = tell(outcome(7)) as [UniversalEvent];
  const overAt = () => newest.get(universalId)!.overAt;
  resolve(outcome(7), { receivedAt: NOON_ET + 5 });
  expect(overAt()).toBeNull();
  tell(daily('0xa', { ...RESOLVED, receivedAt: NOON_ET + 9 }));
  expect(overAt()).toBe(NOON_ET + 9);
  resolve(outcome(7), { receivedAt: NOON_ET + 20, status: 'reverted' });
  expect(overAt()).toBeNull();
  resolve(outcome(7), { receivedAt: NOON_ET + 30 });
  expect(overAt()).toBe(NOON_ET + 30);
  // Long past its date, and traded again: it stays.
  tell(daily('0xa', { closed: false, receivedAt: NOON_ET + 40 }));
  expect(clock(NOON_ET + 200 * DAY_MS, true).removed).toEqual([]);
  expect(isArchived(newest.get(universalId)!, archiveCutoff(NOON_ET + 200 * DAY_MS))).toBe(false);
});

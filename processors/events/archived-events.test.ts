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
  /** The newest record of each event in the topic. */
  const stored = new Map<string, UniversalEvent>();
  const note = (outputs: DrivenOutput[]) => {
    const events = outputs.filter(({ topic }) => topic === eventTopic.name);
    for (const { key, value } of events) {
      if (value) stored.set(key, value as UniversalEvent);
      else stored.delete(key);
    }
    return events;
  };
  return {
    stored,
    send: (value: Market) => note(probe.send(marketTopics.venue_b, value.marketId, value)),
    mark: (receivedAt: number) =>
      note(
        probe.send(clockTopic, 'clock', { receivedAt, tick: true, hour: true, day: receivedAt % DAY_MS < 3_600_000 }),
      ),
    restart: () => probe.restart(),
  };
}

it('accepts an old market, emits its event, and removes that from the topic within the hour', () => {
  const { send, mark, stored, restart } = harness();
  mark(START);
  const [emitted] = send(market('0xold', { endTime: START - 400 * DAY_MS }));
  expect(emitted!.value).toMatchObject({ status: 'resolved', resolutionTime: START - 400 * DAY_MS });
  send(market('0xlate', { endTime: START - 80 * DAY_MS }));
  send(market('0xopen', { closed: false, active: true, resolved: false, endTime: START - 400 * DAY_MS }));
  restart();
  expect(mark(START + 3_600_000)).toMatchObject([{ key: emitted!.key, value: null }]);
  expect([...stored.values()].map(({ links }) => links[0]!.providerMarketId)).toEqual(['0xlate', '0xopen']);
  // Nothing of it is left: it gets a new event if it comes again.
  expect(send(market('0xold', { endTime: START - 400 * DAY_MS, slug: 's' }))).toMatchObject([{ key: emitted!.key }]);
});

const LIVE: Partial<Market> = { closed: false, active: true, resolved: false };
const days = (count: number) => START + count * DAY_MS;

it('removes events closed 90 days before the UTC day, counted from the end of markets that were closed when first seen', () => {
  const { send, mark, stored } = harness();
  const overAt = (marketId: string) =>
    [...stored.values()].find(({ links }) => links[0]!.providerMarketId === marketId)!.overAt;
  for (const [marketId, endTime, end] of [
    ['0xended', days(-3), days(-3)],
    ['0xearly', days(5), START],
    ['0xundated', null, START],
  ] as const) {
    send(market(marketId, { endTime }));
    expect(overAt(marketId), marketId).toBe(end);
  }
  // Its date passed 100 days ago, while the feed of the chain that resolves it was down.
  send(market('0xoutlived', { ...LIVE, endTime: days(-100) }));
  expect(overAt('0xoutlived')).toBeNull();
  send(market('0xoutlived', { resolved: false, endTime: days(-100), receivedAt: days(1) }));
  expect(overAt('0xoutlived')).toBe(days(1));
  for (let day = 1; day <= 92; day += 1) {
    mark(days(day));
    // An event is removed exactly when `isArchived` is true for it.
    for (const event of stored.values()) expect(isArchived(event, archiveCutoff(days(day)))).toBe(false);
    expect(stored.size, `day ${day}`).toBe(day <= 87 ? 4 : day <= 90 ? 3 : day <= 91 ? 1 : 0);
  }
});

it('closes an event by its catalogs alone, before its date or without one, and opens it again if a market reopens', () => {
  const { send, mark, stored } = harness();
  const newest = () => [...stored.values()][0]!;
  for (const endTime of [null, days(30)]) {
    send(market('0xa', { ...LIVE, endTime }));
    expect(newest()).toMatchObject({ status: 'open', overAt: null });
    send(market('0xa', { resolved: false, endTime, receivedAt: days(1) }));
    expect(newest()).toMatchObject({ status: 'closed', overAt: days(1) });
  }
  send(market('0xa', { ...LIVE, receivedAt: days(2) }));
  expect(newest()).toMatchObject({ status: 'open', overAt: null });
  send(market('0xa', { resolved: false, receivedAt: days(3) }));
  for (let day = 3; day <= 93; day += 1) mark(days(day));
  expect(stored.size).toBe(1);
  mark(days(94));
  expect(stored.size).toBe(0);
});

it('sets overAt when the last market of an event closes, and never for a merged event', () => {
  const { newest, send, resolve, clock } = eventsHarness();
  send(daily('0xa'));
  const [{ universalId }] = send(outcome(7)) as [UniversalEvent];
  const overAt = () => newest.get(universalId)!.overAt;
  resolve(outcome(7), { receivedAt: NOON_ET + 5 });
  expect(overAt()).toBeNull();
  send(daily('0xa', { ...RESOLVED, receivedAt: NOON_ET + 9 }));
  expect(overAt()).toBe(NOON_ET + 9);
  resolve(outcome(7), { receivedAt: NOON_ET + 20, status: 'reverted' });
  expect(overAt()).toBeNull();
  resolve(outcome(7), { receivedAt: NOON_ET + 30 });
  expect(overAt()).toBe(NOON_ET + 30);
  // Long after its date, but open again: it stays.
  send(daily('0xa', { closed: false, receivedAt: NOON_ET + 40 }));
  expect(clock(NOON_ET + 200 * DAY_MS, true).removed).toEqual([]);
  expect(isArchived(newest.get(universalId)!, archiveCutoff(NOON_ET + 200 * DAY_MS))).toBe(false);
});

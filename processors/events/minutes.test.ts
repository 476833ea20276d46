/** Tests one question on one day at several minutes: the used links do not depend on the order of arrival. */
import { describe, expect, it } from 'vitest';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { Market } from '#schemas/topics/normalised';
import { toEventRecord } from './event-record.ts';
import { daily, harness, linkOf, NOON_ET, outcome, RULES, START } from './events.fixture.ts';
import { toMarketEntry } from './market-entry.ts';
import { placeMarket } from './membership.ts';
import { recogniseMarket } from './recognise/recognise.ts';
import { createEventsState, type EventsState } from './state.ts';

const HOUR_MS = 3_600_000;

interface Question {
  /** Hours after noon; null for a market that does not state its minute. */
  readonly hour: number | null;
  readonly isBelow?: boolean;
  readonly strike?: string;
}

/** Creates a market of venue_b. */
function marketB(marketId: string, { hour, isBelow = false, strike = '64000' }: Question): Market {
  const at = hour === null ? ' at 5PM' : hour === 0 ? '' : ` at ${hour}PM ET`;
  const rules = hour === null ? 'Resolves by the price.' : RULES;
  return daily(marketId, {
    title: `Will the price of Bitcoin be ${isBelow ? 'below' : 'above'} $${strike} on March 12${at}?`,
    description: hour === 0 && isBelow ? rules.replace('higher', 'lower') : rules,
    groupTitle: null,
    groupItemTitle: null,
    endTime: hour === null ? null : NOON_ET + hour * HOUR_MS,
  });
}

/** Creates an outcome of venue_a. */
function outcomeA(number: number, hour: number, strike = '64000'): Market {
  const expiry = `20310312-${16 + hour}00`;
  return outcome(number, { endTime: NOON_ET + hour * HOUR_MS }, expiry, strike);
}

const NOON = [marketB('0xnoon', { hour: 0 }), outcomeA(1, 0)] as const;
const FIVE = [marketB('0xfive', { hour: 5 }), outcomeA(2, 5)] as const;
const LONE = outcomeA(3, 6);
const DAY = marketB('0xday', { hour: null });

const current = (newest: ReadonlyMap<string, UniversalEvent>) =>
  [...newest.values()].filter(({ mergedInto }) => mergedInto === null);

/** Returns the pairs of used markets of two venues, as `id id` with their polarities compared. */
function usedPairs(events: readonly UniversalEvent[]): string[] {
  const pairs = events.flatMap(({ links }) => {
    const used = links.filter((link) => link.used);
    return used.flatMap((a) =>
      used
        .filter((b) => a.provider < b.provider)
        .map((b) => `${a.providerMarketId} ${b.providerMarketId} ${a.polarity === b.polarity ? 'same' : 'inverse'}`),
    );
  });
  return pairs.sort();
}

/** Returns the entry of a market in the state. */
const entryOf = (market: Market) => toMarketEntry(market, recogniseMarket(market), '');

/** Returns the records that the stage would emit for its events. */
const eventsOf = (state: EventsState) =>
  [...state.events.values()]
    .filter(({ mergedInto }) => mergedInto === null)
    .map((event) => toEventRecord(state, event, START));

function permutations<T>(values: readonly T[]): T[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((first, at) => permutations(values.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}

describe('one question at several minutes of a day', () => {
  it('is one event for each minute that two venues ask for, each with its own resolution time', () => {
    const { send, newest, clock } = harness();
    for (const market of [...NOON, ...FIVE]) send(market);
    expect(usedPairs(current(newest))).toEqual(['#10 0xnoon same', '#20 0xfive same']);
    clock(NOON_ET);
    expect(current(newest).map(({ status, resolutionTime }) => [status, resolutionTime])).toEqual([
      ['closed', NOON_ET],
      ['open', NOON_ET + 5 * HOUR_MS],
    ]);
  });

  it('has the same used links in every order, and each market is in one event', () => {
    const markets = [marketB('0xnoon', { hour: 0, isBelow: true }), NOON[1], ...FIVE, LONE, DAY];
    const outcomes = new Set<string>();
    for (const order of permutations(markets.map(entryOf))) {
      const state = createEventsState();
      for (const [nth, entry] of order.entries()) placeMarket(state, { ...entry }, START + nth);
      const events = eventsOf(state);
      const links = events.flatMap((event) => event.links);
      const unused = links.filter(({ used }) => !used).map(({ providerMarketId }) => providerMarketId);
      outcomes.add(JSON.stringify([usedPairs(events), unused.sort(), links.length]));
    }
    expect([...outcomes]).toEqual([
      JSON.stringify([['#10 0xnoon inverse', '#20 0xfive same'], ['#30', '0xday'], markets.length]),
    ]);
  });

  it('moves a market to the one with the same minute when its minute becomes known', () => {
    const { send, newest } = harness();
    for (const market of [...NOON, DAY, FIVE[1]]) send(market);
    expect(current(newest)).toHaveLength(1);
    send({ ...marketB('0xday', { hour: 5 }), receivedAt: START + 1 });
    expect(usedPairs(current(newest))).toEqual(['#10 0xnoon same', '#20 0xday same']);
  });

  it('uses the event of a single market for the one with the same minute', () => {
    const { send, newest } = harness();
    const [alone] = send(marketB('0xfive', { hour: 5, strike: '65000' }));
    for (const market of [...NOON, FIVE[1]]) send(market);
    send({ ...FIVE[0], receivedAt: START + 1 });
    expect(usedPairs(current(newest))).toEqual(['#10 0xnoon same', '#20 0xfive same']);
    expect(newest.get(alone!.universalId)!.links).toHaveLength(2);
  });

  it('creates an event for a pair if the event of the day is full', () => {
    const { send, newest } = harness();
    send(marketB('0xfive', { hour: 5 }));
    for (let number = 10; number < 70; number += 1) send(outcomeA(number, 6));
    send(FIVE[1]);
    expect(usedPairs(current(newest))).toEqual(['#20 0xfive same']);
  });
});

describe('an open market of the same day as a closed event', () => {
  const statuses = (newest: ReadonlyMap<string, UniversalEvent>) =>
    current(newest)
      .map(({ status, links }) => `${status}: ${links.map(({ providerMarketId }) => providerMarketId).join(' ')}`)
      .sort();

  it('leaves the event at its date, and is open in an event of its own', () => {
    const { send, newest, clock } = harness();
    for (const market of [...NOON, LONE, outcomeA(4, 7)]) send(market);
    expect(statuses(newest)).toEqual(['open: #10 #30 #40 0xnoon']);
    const { events } = clock(NOON_ET);
    expect(events.map(({ status, resolutionTime }) => [status, resolutionTime])).toEqual([
      ['closed', NOON_ET],
      ['open', NOON_ET + 6 * HOUR_MS],
    ]);
    expect(statuses(newest)).toEqual(['closed: #10 0xnoon', 'open: #30 #40']);
    clock(NOON_ET + 6 * HOUR_MS);
    expect(statuses(newest)).toEqual(['closed: #10 0xnoon', 'closed: #30', 'open: #40']);
  });

  it('does not join the event, and does not change its status', () => {
    const { send, newest, clock, resolve } = harness();
    for (const market of NOON) send(market);
    clock(NOON_ET);
    for (const market of NOON) resolve(market);
    expect(statuses(newest)).toEqual(['resolved: #10 0xnoon']);
    send(LONE);
    // Closed too, but not resolved yet.
    send(outcomeA(5, -1));
    expect(statuses(newest)).toEqual(['open: #30 #50', 'resolved: #10 0xnoon']);
    // The next market of the day joins the open event.
    send(outcomeA(6, 7));
    expect(statuses(newest)).toEqual(['open: #30 #50 #60', 'resolved: #10 0xnoon']);
  });

  it('stays if it has the minute of the event, however late its catalog closes it', () => {
    const { send, newest, clock } = harness();
    send(NOON[0]);
    clock(NOON_ET + 1);
    send(NOON[1]);
    expect(statuses(newest)).toEqual(['closed: #10 0xnoon']);
  });

  it('is never in a closed event, in any order of markets, clock marks and resolutions', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const below = numbers(seed);
      const { send, newest, clock, resolve } = harness();
      const sent = new Map<string, Market>();
      const settled = new Set<string>();
      let now = START;
      for (let step = 0; step < 60; step += 1) {
        const nth = below(12);
        const hour = [0, 1, 2, 3, 4, 5][nth % 6]!;
        const market = nth < 6 ? outcomeA(nth + 1, hour) : marketB(`0x${hour}`, { hour });
        const act = below(4);
        if (act === 0) {
          now = Math.max(now, NOON_ET + (below(7) - 1) * HOUR_MS);
          clock(now);
        } else if (act === 1 && sent.has(market.marketId) && market.endTime! <= now) {
          resolve(market);
          settled.add(market.marketId);
        } else {
          sent.set(market.marketId, market);
          send(market);
        }
        for (const { status, links, resolutionTime } of current(newest)) {
          const markets = links.map(({ providerMarketId }) => sent.get(providerMarketId)!);
          const later = markets.filter(({ endTime }) => endTime! > now && endTime !== resolutionTime);
          expect({ seed, step, later: status === 'open' ? [] : later }).toEqual({ seed, step, later: [] });
          if (status === 'open') continue;
          const isResolved = markets.every(({ marketId }) => settled.has(marketId));
          expect({ seed, step, status }).toEqual({ seed, step, status: isResolved ? 'resolved' : 'closed' });
        }
        expect(current(newest).flatMap(({ links }) => links)).toHaveLength(sent.size);
        const pairs = [0, 1, 2, 3, 4, 5].filter((at) => sent.has(`#${at + 1}0`) && sent.has(`0x${at}`));
        expect({ seed, step, used: usedPairs(current(newest)) }).toEqual({
          seed,
          step,
          used: pairs.map((at) => `#${at + 1}0 0x${at} same`),
        });
      }
    }
  });
});

/** Creates a reproducible generator of numbers below a limit. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
}

describe('the comparison of an event', () => {
  it('stays when another minute gets more providers, and when its first market leaves', () => {
    const { send, newest } = harness();
    const [event] = send(marketB('0xbelow', { hour: 0, isBelow: true }));
    expect(event).toMatchObject({ op: 'lte', canonicalName: 'BTC at or below 64,000 on 2031-03-12 16:00 UTC' });
    for (const market of FIVE) send(market);
    const [, seen] = [event!, newest.get(event!.universalId)!];
    expect(seen).toMatchObject({ op: 'lte', resolutionTime: NOON_ET + 5 * HOUR_MS });
    expect(seen.canonicalName).toBe('BTC at or below 64,000 on 2031-03-12 21:00 UTC');
    expect(seen.links.map(({ polarity, used }) => [polarity, used])).toEqual([
      ['inverse', true],
      ['same', false],
      ['inverse', true],
    ]);
    send({ ...marketB('0xbelow', { hour: 0, isBelow: true, strike: '65000' }), receivedAt: START + 1 });
    const left = newest.get(event!.universalId)!;
    expect(left.op).toBe('lte');
    expect(linkOf(left, '0xfive').polarity).toBe('inverse');
  });

  it('stays when its only market changes to the opposite comparison', () => {
    const { send } = harness();
    send(marketB('0xa', { hour: 0 }));
    const [event] = send({ ...marketB('0xa', { hour: 0, isBelow: true }), receivedAt: START + 1 });
    expect(event!.op).toBe('gte');
    expect(linkOf(event!, '0xa').polarity).toBe('inverse');
  });
});

it('after any changes of questions only pairs are used together, and no comparison is inverted', () => {
  const below = numbers(7);
  const state = createEventsState();
  const questions = new Map<string, { key: string; provider: string; isBelow: boolean }>();
  const sides = new Map<string, string | null>();
  for (let step = 0; step < 300; step += 1) {
    const nth = below(8);
    const strike = ['64000', '65000'][below(2)]!;
    const isListed = nth < 4;
    const hour = [0, 5, 6, null][below(isListed ? 3 : 4)]!;
    const isBelow = !isListed && below(2) === 0;
    const market = isListed ? outcomeA(nth + 1, hour!, strike) : marketB(`0x${nth}`, { hour, isBelow, strike });
    const { marketId, provider } = market;
    placeMarket(state, entryOf(market), START + step);
    questions.set(marketId, { key: hour === null ? marketId : `${strike} ${hour}`, provider, isBelow });
    const expectedPairs = [...questions].flatMap(([a, one]) =>
      [...questions]
        .filter(([, other]) => other.key === one.key && one.provider < other.provider)
        .map(([b, other]) => `${a} ${b} ${other.isBelow ? 'inverse' : 'same'}`),
    );
    const events = eventsOf(state);
    const members = events.flatMap(({ links }) => links.map(({ providerMarketId }) => providerMarketId));
    const turned = events.filter(({ universalId, op }) => (sides.get(universalId) ?? op) !== op);
    for (const { universalId, op } of events) sides.set(universalId, op);
    expect({ step, used: usedPairs(events), members: members.sort(), turned }).toEqual({
      step,
      used: expectedPairs.sort(),
      members: [...questions.keys()].sort(),
      turned: [],
    });
  }
});

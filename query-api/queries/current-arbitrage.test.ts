import { describe, expect, it } from 'vitest';
import { aLink, anArbitrage, NOON_MS } from '../testing/records.fixture.ts';
import { type Freshness, fixedFreshness } from '../views/freshness.ts';
import { currentArbitrage } from './current-arbitrage.ts';

const event = {
  links: [
    aLink({ provider: 'venue_a_outcome', providerMarketId: '#10', yesInstrument: '#10', noInstrument: '#11' }),
    aLink({ provider: 'venue_b', providerMarketId: '0xmarket', yesInstrument: '111', noInstrument: '222' }),
  ],
};
const record = anArbitrage({ receivedAt: NOON_MS, quoteAgeMs: 1_200 });

/** All times are seconds after noon. */
const freshness = (
  now: number,
  books: Record<string, number | number[]> = {},
  { asOf = now, live = true } = {},
): Freshness => ({
  ...fixedFreshness({ now: null }),
  now: () => NOON_MS + now * 1_000,
  isLive: () => live,
  asOf: () => NOON_MS + asOf * 1_000,
  bookAt: (instrument, until) =>
    [books[instrument] ?? []]
      .flat()
      .map((seconds) => NOON_MS + seconds * 1_000)
      .findLast((at) => at <= until) ?? null,
});
const ageOf = (at: Freshness, one = record, links = event.links) =>
  currentArbitrage(at, { links }, [one]).map(({ quoteAgeMs }) => quoteAgeMs);

describe('quoteAgeMs of currentArbitrage', () => {
  it('grows with the time since the record', () => {
    expect(ageOf(freshness(0))).toEqual([1_200]);
    expect(ageOf(freshness(100))).toEqual([101_200]);
  });

  it('is the age of the older leg, counting book frames that changed nothing', () => {
    expect(ageOf(freshness(100, { '#10': 99 }))).toEqual([101_200]);
    expect(ageOf(freshness(100, { '#10': 99, '111': 40 }))).toEqual([60_000]);
    expect(ageOf(freshness(100, { '#10': 99, '222': 98 }))).toEqual([101_200]);
  });

  it('uses the NO book where NO is bought, which for an inverse market is its YES book', () => {
    const negation = { ...record, kind: 'negation_pair' as const };
    expect(ageOf(freshness(100, { '#10': 99, '222': 98 }), negation)).toEqual([2_000]);
    const inverse = [event.links[0]!, { ...event.links[1]!, polarity: 'inverse' as const }];
    expect(ageOf(freshness(100, { '#10': 99, '111': 97 }), negation, inverse)).toEqual([3_000]);
    const inverseFirst = [{ ...event.links[0]!, polarity: 'inverse' as const }, event.links[1]!];
    expect(ageOf(freshness(100, { '#11': 96, '222': 98 }), negation, inverseFirst)).toEqual([4_000]);
  });

  it('is never less than the age in the record, and ignores older book frames', () => {
    expect(ageOf(freshness(-5))).toEqual([1_200]);
    expect(ageOf(freshness(100, { '#10': -500, '111': -500 }))).toEqual([101_200]);
  });

  it('ignores book frames that the figures cannot contain yet', () => {
    const books = { '#10': [97, 100], '111': [96, 99, 100] };
    expect(ageOf(freshness(100, books))).toEqual([0]);
    expect(ageOf(freshness(100, books, { asOf: 98 }))).toEqual([4_000]);
    expect(ageOf(freshness(100, { '#10': 100, '111': 100 }, { asOf: 98 }))).toEqual([101_200]);
    expect(ageOf(freshness(3_600, { '#10': [8, 20], '111': 9 }, { asOf: 10, live: false }))).toEqual([3_592_000]);
  });
});

it('currentArbitrage is empty while live figures lag by more than 5 s, but not during playback', () => {
  expect(ageOf(freshness(100, {}, { asOf: 95 }))).toHaveLength(1);
  expect(ageOf(freshness(100, {}, { asOf: 94.9 }))).toEqual([]);
  expect(ageOf(freshness(100, {}, { asOf: 1, live: false }))).toHaveLength(1);
});

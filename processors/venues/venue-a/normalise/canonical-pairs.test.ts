import { describe, expect, it } from 'vitest';
import { type Instrument, instrumentTopics } from '#schemas/topics/normalised';
import { driveVenueA } from './venue-a.fixture.ts';

type Driver = ReturnType<typeof driveVenueA>;
type Volumes = Readonly<Record<string, string | null>>;

const token = (name: string, index: number) => ({ name, index, szDecimals: 2 });
const TOKENS = [token('USDC', 0), token('USDH', 1), token('CAT', 5), token('CAT', 6), token('DOG', 7)];
const pairOf = (index: number, base: number, quote = 0) => ({ name: `@${index}`, tokens: [base, quote], index });
/** Two tokens share the ticker CAT. */
const CATS = [pairOf(11, 6), pairOf(10, 5)];

const contextsOf = (volumes: Volumes) =>
  Object.entries(volumes).map(([coin, dayNtlVlm]) => ({ coin, markPx: '1', dayNtlVlm }));
/** Sends the pairs with their volumes in one answer. */
const answer = (venue: Driver, universe: readonly object[], volumes: Volumes, at = 0) =>
  venue.answer({ type: 'spotMetaAndAssetCtxs' }, [{ tokens: TOKENS, universe }, contextsOf(volumes)], at);
/** Coins of the canonical pairs by their name. */
const canonical = (venue: Driver) => {
  const newest = new Map<string, Instrument>();
  for (const instrument of venue.stage.emittedTo(instrumentTopics.venue_a)) newest.set(instrument.coin, instrument);
  return [...newest.values()]
    .filter((pair) => pair.canonical)
    .map(({ base, quote, coin }) => `${base}-${quote} ${coin}`)
    .sort();
};

describe('the canonical pair of a name', () => {
  it('is the one with the largest volume, whatever its length as text', () => {
    const venue = driveVenueA();
    answer(venue, [...CATS, pairOf(12, 7), pairOf(13, 5, 1)], { '@10': '9.5', '@11': '10', '@12': '1', '@13': '2' });
    expect(canonical(venue)).toEqual(['CAT-USDC @11', 'CAT-USDH @13', 'DOG-USDC @12']);
  });

  it('is the one with the lower index if volumes are equal, as if nothing was traded', () => {
    const venue = driveVenueA();
    answer(venue, CATS, { '@11': '0.0', '@10': '0' });
    expect(canonical(venue)).toEqual(['CAT-USDC @10']);
  });

  it('is unknown until a volume is reported, in an answer or on the socket', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'spotMeta' }, { tokens: TOKENS, universe: CATS });
    venue.frame('spotAssetCtxs', contextsOf({ '@10': null }), 1);
    expect(canonical(venue)).toEqual([]);
    venue.frame('spotAssetCtxs', contextsOf({ '@10': '1', '@11': '2' }), 2);
    expect(canonical(venue)).toEqual(['CAT-USDC @11']);
  });

  it('stays the same within a day, also when a larger pair of its name is listed or it is delisted', () => {
    const venue = driveVenueA();
    answer(venue, CATS.slice(0, 1), { '@11': '5' });
    answer(venue, CATS, { '@11': '5', '@10': '900' }, 1);
    venue.clock(2, { hour: true });
    answer(venue, CATS.slice(1), { '@10': '900' }, 3);
    answer(venue, CATS.slice(1), { '@10': '900' }, 10_003);
    expect(canonical(venue)).toEqual(['CAT-USDC @11']);
    venue.clock(10_004, { day: true });
    expect(canonical(venue)).toEqual(['CAT-USDC @10']);
  });

  it('is chosen again at the day mark by the newest volumes, and emitted only if it changed', () => {
    const venue = driveVenueA();
    answer(venue, CATS, { '@11': '5', '@10': '4' });
    const emitted = () => venue.stage.emittedTo(instrumentTopics.venue_a).length;
    const before = emitted();
    venue.clock(1, { day: true });
    expect(emitted()).toBe(before);
    venue.frame('activeSpotAssetCtx', { coin: '@10', ctx: { dayNtlVlm: '6' } }, 2);
    expect(canonical(venue)).toEqual(['CAT-USDC @11']);
    venue.clock(3, { day: true });
    expect(canonical(venue)).toEqual(['CAT-USDC @10']);
    expect(emitted()).toBe(before + 2);
  });

  it('remains a delisted pair as long as no other pair has its name', () => {
    const venue = driveVenueA();
    answer(venue, [...CATS.slice(0, 1), pairOf(12, 7)], { '@11': '5', '@12': '1' });
    answer(venue, [pairOf(12, 7)], { '@12': '1' }, 1);
    answer(venue, [pairOf(12, 7)], { '@12': '1' }, 10_001);
    venue.clock(10_002, { day: true });
    expect(canonical(venue)).toEqual(['CAT-USDC @11', 'DOG-USDC @12']);
  });

  it('survives a restart', () => {
    const venue = driveVenueA();
    answer(venue, CATS, { '@11': '5', '@10': '4' });
    venue.stage.restart();
    answer(venue, CATS, { '@11': '5', '@10': '400' }, 1);
    expect(canonical(venue)).toEqual(['CAT-USDC @11']);
  });
});

import { expect, it } from 'vitest';
import type { SpreadLeg } from '#schemas/topics/derived';
import { aLink, aSpread, NOON_MS } from '../testing/records.fixture.ts';
import { type Freshness, fixedFreshness } from '../views/freshness.ts';
import { currentSpread } from './current-spread.ts';

const event = { links: [aLink()] };

const AS_OF = NOON_MS + 1_000;

/** Freshness of figures as of one second after noon that lag by `lagSeconds`. */
const freshness = (lagSeconds: number, bookAt: number | null = null): Freshness => ({
  ...fixedFreshness({ now: AS_OF }),
  now: () => AS_OF + lagSeconds * 1_000,
  isLive: () => true,
  asOf: () => AS_OF,
  bookAt: (instrument, until) => (instrument === '111' && bookAt !== null && bookAt <= until ? bookAt : null),
});
const legOf = (at: Freshness, fields: Partial<SpreadLeg> = {}) => {
  const spread = aSpread();
  return currentSpread(at, event, { ...spread, legs: [{ ...spread.legs[0]!, ...fields }] }).legs[0]!;
};

it('currentSpread sets bookAt to the time of the last book frame, even if that frame changed nothing', () => {
  expect(legOf(freshness(0)).bookAt).toBe(NOON_MS);
  expect(legOf(freshness(0, NOON_MS + 700)).bookAt).toBe(NOON_MS + 700);
  expect(legOf(freshness(0, NOON_MS - 700)).bookAt).toBe(NOON_MS);
  // A frame that the figures cannot contain yet: no frame was received at the time in between.
  expect(legOf(freshness(0, AS_OF + 700)).bookAt).toBe(NOON_MS);
  expect(legOf(freshness(0, NOON_MS + 700), { bookAt: null }).bookAt).toBeNull();
  expect(legOf(freshness(0, NOON_MS + 700), { state: 'resolved' }).bookAt).toBe(NOON_MS);
});

it.each([
  ['live', 'stale'],
  ['recovering', 'stale'],
  ['stale', 'stale'],
  ['venue_down', 'venue_down'],
  ['resolved', 'resolved'],
  [null, null],
] as const)('currentSpread reports a leg in state %s as %s while the figures lag', (state, shown) => {
  expect(legOf(freshness(5), { state })).toMatchObject({ state, live: true });
  const isTraded = state !== 'resolved';
  expect(legOf(freshness(5.1), { state })).toMatchObject({ state: shown, live: !isTraded });
});

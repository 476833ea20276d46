import { describe, expect, it } from 'vitest';
import {
  BEFORE_THE_HOUR,
  createTestSimulation,
  firstDifference,
  SMALL,
  venueAFrames,
  venueBFrames,
} from './simulation.fixture.ts';

const HOUR = BEFORE_THE_HOUR + 60_000;
const [START, END] = [HOUR - 10_000, HOUR + 25_000];

describe('a simulation', () => {
  it('is identical to the byte for the same seed and times', () => {
    const [first, second] = [createTestSimulation().run(START, END), createTestSimulation().run(START, END)];
    expect(first.length).toBeGreaterThan(7_000);
    expect(firstDifference(first, second)).toBeNull();
  });

  it('differs for another seed', () => {
    const other = createTestSimulation({ ...SMALL, seed: 8 }).run(BEFORE_THE_HOUR, BEFORE_THE_HOUR + 1_000);
    expect(firstDifference(other, createTestSimulation().run(BEFORE_THE_HOUR, BEFORE_THE_HOUR + 1_000))).not.toBeNull();
  });

  it.each([
    ['in the middle of a minute', HOUR - 5_010],
    ['right after questions have expired', HOUR + 20],
  ])('continues after a restart %s exactly like an uninterrupted run', (_when, restart) => {
    const whole = createTestSimulation();
    whole.run(START, restart);
    const [restarted, unbroken] = [createTestSimulation().run(restart, END), whole.run(restart, END)];
    expect(firstDifference(restarted, unbroken)).toBeNull();
  });
});

describe('half a minute of a simulation', () => {
  const simulation = createTestSimulation();
  const lines = simulation.run(BEFORE_THE_HOUR, BEFORE_THE_HOUR + 30_000);

  it('has the configured rate, with seven book updates to three trades', () => {
    const { events, bookUpdates, venueATrades, matches } = simulation.counts;
    expect(events).toBe(SMALL.rate * 30);
    expect(bookUpdates + venueATrades + matches).toBe(events);
    expect(bookUpdates / events).toBeGreaterThan(0.66);
    expect(bookUpdates / events).toBeLessThan(0.74);
  });

  it('includes every coin, both sides of every outcome, and every venue_b market', () => {
    const coins = new Set(venueAFrames(lines, 'l2Book').map(({ data }) => (data as { coin: string }).coin));
    const traded = new Set(venueAFrames(lines, 'trades').map(({ data }) => (data as { coin: string }[])[0]!.coin));
    const live = [...simulation.markets.listed(BEFORE_THE_HOUR), ...simulation.markets.outcomes(BEFORE_THE_HOUR)].map(
      ({ coin }) => coin,
    );
    expect(coins).toEqual(new Set(live));
    expect([...coins].filter((coin) => traded.has(coin)).length).toBeGreaterThan(coins.size * 0.8);
    const markets = new Set(venueBFrames(lines).map(({ market }) => market));
    expect(markets.size).toBe(simulation.world.venueB.slots.length);
  });

  it('includes a candle that equals the published trades', () => {
    type Trade = { coin: string; px: string; sz: string };
    const trades = venueAFrames(lines, 'trades').flatMap(({ data }) => data as Trade[]);
    const ofBtc = trades.filter(({ coin }) => coin === 'BTC');
    const last = venueAFrames(lines, 'candle')
      .map(({ data }) => data as Record<string, unknown>)
      .findLast(({ s }) => s === 'BTC')!;
    expect(last).toMatchObject({ t: BEFORE_THE_HOUR, T: BEFORE_THE_HOUR + 59_999, i: '1m', n: ofBtc.length });
    expect(last.o).toBe(ofBtc[0]!.px);
    expect(last.c).toBe(ofBtc.at(-1)!.px);
    const volume = ofBtc.reduce((sum, { sz }) => sum + Number(sz), 0);
    expect(Number(last.v)).toBeCloseTo(volume, 5);
  });
});

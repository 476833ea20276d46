import { describe, expect, it } from 'vitest';
import { type Figure, marketName, type Outlier, outliersOf } from './calm-world.fixture.ts';
import type { Injection } from './world/injections.ts';
import { HOUR_MS, MINUTE_MS } from './world/time.ts';
import { createWorld } from './world/world.ts';

const START = Date.UTC(2026, 2, 3);
const HOURS = 24;
/** Settings of a recording of quiet hours. */
const QUIET = { seed: 1, rate: 2, events: 20, coins: 50 };
const END = START + HOURS * HOUR_MS;
/** Deviations from which a detector reports an anomaly. */
const DETECTED = 6;
/** Deviations that every injection exceeds. */
const INJECTED = 8;

const worst = (outliers: ReadonlyMap<string, readonly Outlier[]>) => [...outliers.values()].map((all) => all[0]!.z);

describe('24 hours of a quiet world', () => {
  it.each([{ ...QUIET }, { ...QUIET, seed: 2 }, { seed: 3, rate: 2, events: 5, coins: 5 }])(
    'have no minute that a detector would report: %o',
    (settings) => {
      const outliers = outliersOf(settings, START, END);
      expect(outliers.size).toBe(6);
      for (const all of outliers.values()) expect(all.length).toBeGreaterThan(1_000);
      expect(Math.max(...worst(outliers))).toBeLessThan(DETECTED);
    },
  );
});

describe('injections', () => {
  // The first slots hold questions of a day and more, so there is enough data before the injection.
  const at = START + 10 * HOUR_MS;
  const inject: readonly Injection[] = [
    { kind: 'trade_volume_spike', venue: 'venue_b', slot: 0, atMs: at },
    { kind: 'wallet_burst', venue: 'venue_b', slot: 1, atMs: at },
    { kind: 'spread_widening', venue: 'venue_b', slot: 2, atMs: at },
    { kind: 'trade_volume_spike', venue: 'venue_a', slot: 0, atMs: at },
    { kind: 'spread_widening', venue: 'venue_a', slot: 2, atMs: at },
  ];
  const FIGURES: Record<string, Figure> = {
    trade_volume_spike: 'volume',
    wallet_burst: 'fills',
    spread_widening: 'spread',
  };

  it.each([
    { ...QUIET, hours: 12 },
    { ...QUIET, rate: 100, hours: 1 },
  ])('exceed the threshold in one minute, and nothing else does: %o', ({ hours = HOURS / 2, ...settings }) => {
    const world = createWorld({ ...settings, inject });
    const from = hours === 1 ? at - 50 * MINUTE_MS : START;
    const outliers = outliersOf({ ...settings, inject }, from, from + hours * HOUR_MS);
    const outstanding = [...outliers].flatMap(([key, all]) =>
      all.filter(({ z }) => z >= DETECTED).map(({ z, market, atMs }) => ({ what: `${key} ${market}`, atMs, z })),
    );
    const expected = world.injections!.all.map(({ kind, venue, slot, happensAtMs }) => {
      const board = venue === 'venue_a' ? world.venueA : world.venueB;
      expect(happensAtMs).toBeGreaterThanOrEqual(at);
      expect(happensAtMs).toBeLessThan(at + 10 * MINUTE_MS);
      const atMs = Math.floor(happensAtMs / MINUTE_MS) * MINUTE_MS;
      return { what: `${venue} ${FIGURES[kind]} ${marketName(board.liveIn(slot, happensAtMs))}`, atMs };
    });
    expect(outstanding.map(({ what, atMs }) => ({ what, atMs }))).toEqual(expect.arrayContaining(expected));
    expect(outstanding).toHaveLength(expected.length);
    for (const { z } of outstanding) expect(z).toBeGreaterThan(INJECTED);
  });
});

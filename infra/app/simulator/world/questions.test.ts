import { describe, expect, it } from 'vitest';
import type { Question } from './questions.ts';
import { createWorld } from './world.ts';

const START = Date.UTC(2026, 2, 1);
const HOUR = 3_600_000;
const meaning = ({ asset, thresholdText, expiresAtMs, slot }: Question) =>
  `${asset.symbol} ${slot.inverse ? 'lte' : 'gte'} ${thresholdText} ${expiresAtMs}`;

function liveAt(world: ReturnType<typeof createWorld>, atMs: number) {
  const of = (board: typeof world.venueA) => board.slots.map(({ index }) => board.liveIn(index, atMs));
  return { a: of(world.venueA), b: of(world.venueB) };
}

describe.each([1, 20, 300])('%i questions on both venues', (events) => {
  const world = createWorld({ seed: 5, rate: 100, events, coins: 10 });
  // Several weeks, including the night of the clock change.
  const moments = Array.from({ length: events === 300 ? 12 : 60 }, (_, nth) => START + nth * 7 * HOUR + 1);

  it('always has at least the configured number of equal questions on both venues, to the minute', () => {
    for (const at of moments) {
      const { a, b } = liveAt(world, at);
      const known = new Set(a.map(meaning));
      expect(b.filter((question) => known.has(meaning(question))).length).toBeGreaterThanOrEqual(events);
    }
  });

  it('never has the same question twice on one venue', () => {
    for (const at of moments) {
      const { a, b } = liveAt(world, at);
      for (const questions of [a, b]) expect(new Set(questions.map(meaning)).size).toBe(questions.length);
    }
  });

  it('has near misses and questions of one venue that differ from all of the other venue', () => {
    for (const at of moments) {
      const { a, b } = liveAt(world, at);
      const known = new Set(a.map(meaning));
      const alone = b.filter(({ slot }) => slot.pair === null || slot.miss !== 'none' || slot.inverse);
      expect(alone.length).toBeGreaterThan(0);
      for (const question of alone) expect(known.has(meaning(question))).toBe(false);
    }
  });

  it('lists the next question of a slot in the minute in which the previous one expires', () => {
    for (const slot of world.venueB.slots) {
      const first = world.venueB.liveIn(slot.index, START);
      const next = world.venueB.liveIn(slot.index, first.expiresAtMs);
      expect(next.listedAtMs).toBe(first.expiresAtMs);
      expect(next.generation).toBe(first.generation + 1);
      expect(world.venueB.liveIn(slot.index, first.expiresAtMs - 1)).toEqual(first);
      expect(first.expiresAtMs % HOUR).toBe(0);
    }
  });
});

it('near misses have the same coin with another threshold, or another day', () => {
  const world = createWorld({ seed: 5, rate: 100, events: 20, coins: 10 });
  const { a, b } = liveAt(world, START);
  const twinOf = (question: Question) => a.find(({ slot }) => slot.pair === question.slot.pair)!;
  const threshold = b.find(({ slot }) => slot.miss === 'threshold')!;
  expect(twinOf(threshold)).toMatchObject({ asset: threshold.asset, expiresAtMs: threshold.expiresAtMs });
  expect(twinOf(threshold).threshold).toBeLessThan(threshold.threshold);
  const day = b.find(({ slot }) => slot.miss === 'day')!;
  expect(twinOf(day).expiresAtMs % (24 * HOUR)).toBe(day.expiresAtMs % (24 * HOUR));
  expect(twinOf(day).expiresAtMs).not.toBe(day.expiresAtMs);
});

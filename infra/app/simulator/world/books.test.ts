import { describe, expect, it } from 'vitest';
import { makeLevelBook } from './ladder-book.ts';
import { type BookLevel, bookChanges, type QuestionBook } from './question-book.ts';
import { createWorld } from './world.ts';

const world = createWorld({ seed: 11, rate: 2_000, events: 8, coins: 40 });
const START = Date.UTC(2026, 5, 1, 11, 58);
const moments = Array.from({ length: 200 }, (_, nth) => START + nth * 1_371);

function expectOrdered(book: ReturnType<typeof makeLevelBook>) {
  const [bids, asks] = [[...book.bidPx.slice(0, book.bidDepth)], [...book.askPx.slice(0, book.askDepth)]];
  expect(asks[0]!).toBeGreaterThan(bids[0]!);
  expect(bids).toEqual([...new Set(bids)].sort((a, b) => b - a));
  expect(asks).toEqual([...new Set(asks)].sort((a, b) => a - b));
  const sizes = [...book.bidSz.slice(0, book.bidDepth), ...book.askSz.slice(0, book.askDepth)];
  expect(Math.min(...sizes)).toBeGreaterThan(0);
}

describe('venue_a books', () => {
  it('are never crossed, and have twenty levels of at most five figures per side', () => {
    const book = makeLevelBook(20);
    for (const at of moments.slice(0, 20)) {
      for (const ladder of world.ladders.listed(at)) {
        world.ladderBookAt(ladder.index, at, 20, book);
        expectOrdered(book);
        expect(book.bidDepth).toBe(20);
        expect(book.askPx[19]!).toBeLessThan(100_000);
        expect(book.priceDecimals).toBeLessThanOrEqual(ladder.maxDecimals);
      }
    }
  });

  it('of outcome coins stay between 0 and 1', () => {
    const book = makeLevelBook(20);
    for (let outcome = 0; outcome < world.venueA.slots.length * 2; outcome += 1) {
      for (const at of moments.slice(0, 40)) {
        world.outcomeBookAt(outcome, at, book);
        expectOrdered(book);
        expect(book.bidPx[book.bidDepth - 1]!).toBeGreaterThan(0);
        expect(book.askPx[book.askDepth - 1]!).toBeLessThan(10_000);
      }
    }
  });

  it('trade at the best price of the book at that time', () => {
    const book = makeLevelBook(20);
    const series = world.seriesOf('ladder_trade', 0);
    const first = world.schedule.versionAt(series, START);
    for (let version = first; version < first + 50; version += 1) {
      const trade = world.ladderTradeOf(0, world.schedule.eventOf(series, version));
      world.ladderBookAt(0, trade.timeMs, 20, book);
      expect(trade.px).toBe(trade.side === 'B' ? book.askPx[0] : book.bidPx[0]);
    }
  });
});

function expectValid({ bids, asks, tick }: QuestionBook) {
  const isValid = ({ price, size }: BookLevel) => price % tick === 0 && price > 0 && price < 1_000 && size > 0;
  expect([...bids, ...asks].filter((level) => !isValid(level))).toEqual([]);
  const best = { bid: bids[0]?.price ?? 0, ask: asks[0]?.price ?? 1_000 };
  expect(best.ask).toBeGreaterThan(best.bid);
}

describe('venue_b books', () => {
  it('are never crossed and stay on their price grid, before and after a match', () => {
    for (const { index } of world.venueB.slots) {
      const series = world.seriesOf('question', index);
      const first = world.schedule.versionAt(series, START);
      for (let version = first; version < first + 60; version += 1)
        expectValid(world.questionUpdate(index, version).book);
    }
  });

  it('change in a match by exactly its size', () => {
    let matches = 0;
    for (const { index } of world.venueB.slots) {
      const series = world.seriesOf('question', index);
      const first = world.schedule.versionAt(series, START);
      for (let version = first; version < first + 60; version += 1) {
        const after = world.questionUpdate(index, version);
        const { match } = after;
        if (!match) continue;
        matches += 1;
        const before = world.questionBefore(index, version);
        const taken = match.legs.reduce((sum, leg) => sum + leg.size, 0);
        const total = (book: QuestionBook) => [...book.bids, ...book.asks].reduce((sum, level) => sum + level.size, 0);
        expect(total(before.book) - total(after.book)).toBe(taken);
        const changes = bookChanges(before.book, after.book);
        expect(changes.every((change) => change.isBid === ((match.token === 0) !== match.isTakerBuy))).toBe(true);
      }
    }
    expect(matches).toBeGreaterThan(20);
  });

  it('sometimes differ from those of venue_a enough for an arbitrage after fees, in both directions', () => {
    const edges = { cross: 0, negation: 0, checked: 0 };
    const [yes, no] = [makeLevelBook(20), makeLevelBook(20)];
    const pairs = world.venueB.slots.filter(({ pair, miss, inverse }) => pair !== null && miss === 'none' && !inverse);
    for (const { index, pair } of pairs) {
      const slotA = world.venueA.slots.find((slot) => slot.pair === pair)!.index;
      for (const at of moments.map((moment, nth) => moment + nth * 60_000)) {
        const { book } = world.questionBookAt(index, at);
        world.outcomeBookAt(slotA * 2, at, yes);
        world.outcomeBookAt(slotA * 2 + 1, at, no);
        const [bid, ask] = [(book.bids[0]?.price ?? 0) / 1000, (book.asks[0]?.price ?? 1000) / 1000];
        const fee = 0.07 * ask * (1 - ask) + 0.001;
        edges.checked += 1;
        if (yes.bidPx[0]! / 10_000 - ask > fee || bid - yes.askPx[0]! / 10_000 > fee) edges.cross += 1;
        if (1 - ask - no.askPx[0]! / 10_000 > fee) edges.negation += 1;
      }
    }
    expect(edges.cross / edges.checked).toBeGreaterThan(0.005);
    expect(edges.cross / edges.checked).toBeLessThan(0.4);
    expect(edges.negation).toBeGreaterThan(0);
  });
});

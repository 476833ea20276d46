import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyBookUpdate, type Book, type BookChange, bestAsk, bestBid, bestLevels, createBook } from './book.ts';
import { DecimalError, formatDecimal, parseDecimal } from './decimal.ts';

const texts = (levels: Book['bids']) =>
  levels.map((level) => `${formatDecimal(level.price)}x${formatDecimal(level.size)}`);

const levels = fc.array(
  fc.record({
    price: fc.integer({ min: 1, max: 40 }).map((cents) => `0.${String(cents).padStart(3, '0')}`),
    size: fc.oneof(fc.constant('0'), fc.constant('0.00'), fc.integer({ min: 1, max: 500 }).map(String)),
  }),
  { maxLength: 12 },
);
const update: fc.Arbitrary<BookChange> = fc.record({
  snapshot: fc.oneof({ weight: 1, arbitrary: fc.constant(true) }, { weight: 5, arbitrary: fc.constant(false) }),
  bids: levels,
  asks: levels,
});

/** A simple implementation of one side, to compare with. */
class NaiveSide {
  private sizes = new Map<number, number>();
  apply(snapshot: boolean, changes: BookChange['bids']): void {
    if (snapshot) this.sizes.clear();
    for (const { price, size } of changes) {
      this.sizes.delete(Number(price));
      if (Number(size) !== 0) this.sizes.set(Number(price), Number(size));
    }
  }
  sorted(direction: 1 | -1): string[] {
    return [...this.sizes].sort(([a], [b]) => direction * (a - b)).map(([price, size]) => `${price}x${size}`);
  }
}

describe('a book', () => {
  it('contains the same levels as a plain map after any sequence of updates', () => {
    fc.assert(
      fc.property(fc.array(update, { maxLength: 30 }), (updates) => {
        const book = createBook();
        const bids = new NaiveSide();
        const asks = new NaiveSide();
        for (const change of updates) {
          applyBookUpdate(book, change);
          bids.apply(change.snapshot, change.bids);
          asks.apply(change.snapshot, change.asks);
          expect(texts(book.bids)).toEqual(bids.sorted(-1));
          expect(texts(book.asks)).toEqual(asks.sorted(1));
        }
      }),
    );
  });

  it('reads every probability of up to four decimals like any other price', () => {
    for (let at = 1; at < 10_000; at += 1) {
      const four = `0.${String(at).padStart(4, '0')}`;
      for (const price of new Set([four, four.replace(/0+$/, '')])) {
        const book = createBook();
        applyBookUpdate(book, { snapshot: true, bids: [{ price, size: '1' }], asks: [] });
        expect(bestBid(book)?.price).toBe(parseDecimal(price));
      }
    }
  });

  it.each(['0.', '0.1x', '0,5', '0.5 ', '0.-1', '0.12345x', '.'])('rejects %j as a price', (price) => {
    const bad = { snapshot: true, bids: [{ price, size: '1' }], asks: [] };
    expect(() => applyBookUpdate(createBook(), bad)).toThrow(DecimalError);
  });

  it('returns the best price of each side, and null for an empty side', () => {
    const book = createBook();
    expect(bestBid(book)).toBeNull();
    expect(bestAsk(book)).toBeNull();
    applyBookUpdate(book, {
      snapshot: true,
      bids: [
        { price: '0.1', size: '1' },
        { price: '0.3', size: '2' },
      ],
      asks: [],
    });
    expect(bestBid(book)).toEqual({ price: parseDecimal('0.3'), size: parseDecimal('2') });
    expect(bestAsk(book)).toBeNull();
  });

  it('treats two spellings of a price as one level', () => {
    const book = createBook();
    applyBookUpdate(book, { snapshot: true, bids: [{ price: '0.50', size: '1' }], asks: [] });
    applyBookUpdate(book, { snapshot: false, bids: [{ price: '0.5', size: '7' }], asks: [] });
    expect(texts(book.bids)).toEqual(['0.5x7']);
  });

  it('is unchanged by an update that contains a bad level', () => {
    const book = createBook();
    applyBookUpdate(book, { snapshot: true, bids: [{ price: '0.5', size: '1' }], asks: [] });
    for (const bad of [
      { price: '0.6', size: '-1' },
      { price: '6e-1', size: '1' },
    ]) {
      const change = { snapshot: false, bids: [{ price: '0.4', size: '1' }], asks: [bad] };
      expect(() => applyBookUpdate(book, change)).toThrow(DecimalError);
      expect(texts(book.bids)).toEqual(['0.5x1']);
    }
  });

  it('is the same after v8 serialization', () => {
    const book = createBook();
    applyBookUpdate(book, { snapshot: true, bids: [{ price: '0.5', size: '1' }], asks: [{ price: '0.6', size: '3' }] });
    expect(deserialize(serialize(book))).toEqual(book);
  });

  it('returns the levels nearest the middle, and all of them where there are fewer', () => {
    const book = createBook();
    const bids = ['0.1', '0.2', '0.3'].map((price) => ({ price, size: '1' }));
    applyBookUpdate(book, { snapshot: true, bids, asks: [] });
    expect(texts(bestLevels(book, 2).bids)).toEqual(['0.3x1', '0.2x1']);
    expect(texts(bestLevels(book, 4).bids)).toEqual(['0.3x1', '0.2x1', '0.1x1']);
    expect(bestLevels(book, 4).asks).toEqual([]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBook } from '#schemas/venues/venue-a/book';
import { scanBook } from './scan-book.ts';

/** Scans the text at the position of the data in a frame, as in `x…}`. */
const scan = (text: string) => scanBook(`x${text}}`, { start: 1, length: text.length });

const level = fc.record({
  px: fc.stringMatching(/^(0|[1-9]\d{0,6})(\.\d{1,6})?$/),
  sz: fc.stringMatching(/^\d{1,7}(\.\d{1,8})?$/),
  n: fc.nat(),
});
const side = fc.array(level, { maxLength: 25 });
const book = fc.record({
  coin: fc.oneof(fc.constantFrom('BTC', '#120', 'xyz:NVDA', '@107', 'kPEPE'), fc.string({ minLength: 1 })),
  time: fc.nat({ max: 2_000_000_000_000 }),
  levels: fc.tuple(side, side),
});

describe('the scan of a book', () => {
  it('gives the same book as parsing it as JSON, or null', () => {
    fc.assert(
      fc.property(book, (value) => {
        const scanned = scan(JSON.stringify(value));
        const isPlain = !/[\\"\p{Cc}]/u.test(value.coin);
        if (isPlain) expect(scanned).toEqual(readBook(value));
        else expect(scanned ?? readBook(value)).toEqual(readBook(value));
      }),
      { numRuns: 2_000 },
    );
  });

  it('never gives another book than JSON for a text with any changed character', () => {
    const text = JSON.stringify({
      coin: 'BTC',
      time: 1_700_000_000_000,
      levels: [[{ px: '70100.0', sz: '1.50', n: 3 }], [{ px: '70101', sz: '0.1', n: 12 }]],
    });
    expect(scan(text)).not.toBeNull();
    const isSame = (changed: string) => {
      const scanned = scan(changed);
      if (scanned) expect(scanned).toEqual(readBook(JSON.parse(changed)));
    };
    for (let at = 0; at < text.length; at += 1) {
      isSame(text.slice(0, at));
      isSame(text.slice(0, at) + text.slice(at + 1));
      for (const other of '"\\{}[],:0-. e\nx') isSame(text.slice(0, at) + other + text.slice(at + 1));
      for (const other of '"\\{}[],:0-. e\nx') isSame(text.slice(0, at) + other + text.slice(at));
    }
  });

  it.each([
    ['a field more', '{"coin":"BTC","time":1,"levels":[[],[]],"fast":true}'],
    ['another order', '{"time":1,"coin":"BTC","levels":[[],[]]}'],
    ['one side', '{"coin":"BTC","time":1,"levels":[[]]}'],
    ['a price below zero', '{"coin":"BTC","time":1,"levels":[[{"px":"-1","sz":"1","n":1}],[]]}'],
    ['a price that is no decimal', '{"coin":"BTC","time":1,"levels":[[{"px":"1e5","sz":"1","n":1}],[]]}'],
    ['an empty name', '{"coin":"","time":1,"levels":[[],[]]}'],
    ['an escape in the name', '{"coin":"B\\u0054C","time":1,"levels":[[],[]]}'],
    ['a number that JSON does not have', '{"coin":"BTC","time":01,"levels":[[],[]]}'],
  ])('returns null for %s', (_what, text) => {
    expect(scan(text)).toBeNull();
  });
});

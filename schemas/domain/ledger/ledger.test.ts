import { describe, expect, it } from 'vitest';
import { instrumentsOf, type LedgerEvent } from './events.ts';
import { conversion, effectsOf, fill, readable, settlement, splitOrMerge } from './ledger.fixture.ts';
import {
  type AppliedEvent,
  changeLedger,
  changeLedgerInSlices,
  createLedger,
  foldLedger,
  type Ledger,
} from './ledger.ts';

function ledgerOf(...events: LedgerEvent[]): Ledger {
  const ledger = createLedger();
  changeLedger(
    ledger,
    events.map((put) => ({ put })),
  );
  return ledger;
}

const lotsAfter = (...events: LedgerEvent[]) => readable(ledgerOf(...events)).lots;
const lastEffects = (...events: LedgerEvent[]) => effectsOf(ledgerOf(...events).applied.slice(-1));

describe('fills', () => {
  it('close the opposite lots of their book, oldest first, and open a lot with the rest', () => {
    const events = [
      fill(1, 'T', 10, '0.4', { id: 'a' }),
      fill(2, 'T', 10, '0.5', { id: 'b' }),
      fill(3, 'T', -15, '0.6', { id: 'c' }),
    ];
    expect(lotsAfter(...events)).toEqual(['T - b: 5 at 0.5']);
    expect(lastEffects(...events)).toEqual(['c fill T -: -15 at 0.6, realized 2.5, closes [10 of a, 5 of b]']);
    expect(lotsAfter(...events, fill(4, 'T', -8, '0.7', { id: 'd' }))).toEqual(['T - d: -3 at 0.7']);
  });

  it('do not touch the books of other builders', () => {
    const events = [fill(1, 'T', 10, '0.4', { id: 'a', builder: 'p' }), fill(2, 'T', -4, '0.6', { id: 'b' })];
    expect(lotsAfter(...events)).toEqual(['T p a: 10 at 0.4', 'T - b: -4 at 0.6']);
  });

  it('open a negative lot without a lot to close, and a purchase realizes on it', () => {
    const events = [fill(1, 'T', -4, '0.6', { id: 'a' }), fill(2, 'T', 1, '0.2', { id: 'b' })];
    expect(lastEffects(...events)).toEqual(['b fill T -: 1 at 0.2, realized 0.4, closes [-1 of a]']);
  });

  it('round what they realize once, half to even', () => {
    const price = '0.000000000000000001';
    const events = [fill(1, 'T', '0.5', 0, { id: 'a' }), fill(2, 'T', '0.5', 0, { id: 'b' })];
    expect(lastEffects(...events, fill(3, 'T', -1, price, { id: 'c' }))[0]).toContain(`realized ${price},`);
    expect(lastEffects(...events, fill(3, 'T', '-0.5', price, { id: 'c' }))[0]).toContain('realized 0,');
  });

  it('open a lot without the fee that was taken in the bought token', () => {
    const events = [fill(1, '@107', '986.87', '7.9769', { id: 'a', feeQty: '0.34540448', start: 0 })];
    expect(lotsAfter(...events)).toEqual(['@107 - a: 986.52459552 at 7.9769']);
  });
});

describe('the number of an event at its place', () => {
  const orderOf = ({ applied }: Ledger) => applied.map(({ event, nth }) => `${event.id} ${nth}`);

  it('is that in which the ledger applies it, whatever its id is', () => {
    const opening = fill(1, 'C', 5, 10, { id: '9', start: 0, tie: 9 });
    const closing = fill(1, 'C', -5, 12, { id: '10', start: 5, tie: 10 });
    expect(orderOf(ledgerOf(opening, closing, fill(2, 'C', 1, 10, { id: '11', start: 0 })))).toEqual([
      '9 0',
      '10 1',
      '11 0',
    ]);
  });

  it('is written again where an earlier event of its place arrives or goes', () => {
    const events = [fill(1, 'B', 1, 10, { id: 'b' }), fill(1, 'C', 1, 10, { id: 'c' })];
    const ledger = ledgerOf(...events);
    const numbersOf = ({ written }: { written: readonly AppliedEvent[] }) =>
      written.map(({ event, nth }) => `${event.id} ${nth}`);
    const first = fill(1, 'A', 1, 10, { id: 'a' });
    expect(numbersOf(changeLedger(ledger, [{ put: first }]))).toEqual(['a 0', 'b 1', 'c 2']);
    expect(numbersOf(changeLedger(ledger, [{ remove: first }]))).toEqual(['b 0', 'c 1']);
  });
});

describe('positions that the venue states', () => {
  it('open a lot of unknown cost for a surplus, on which nothing is realized', () => {
    const events = [fill(1, 'C', -3, 10, { id: 'a', start: 5 }), fill(2, 'C', 1, 9, { id: 'b', start: 2 })];
    expect(readable(ledgerOf(...events))).toEqual({
      lots: ['C - a: 2 at null', 'C - b: 1 at 9'],
      effects: [
        'a fill C -: -3 at 10, realized null, closes [3 of a], partial',
        'a unseen C -: 5 at null, realized 0, closes [], partial',
        'b fill C -: 1 at 9, realized 0, closes []',
      ],
      order: ['a', 'b'],
    });
  });

  it('remove the oldest lots of all books for a shortfall, and realize nothing', () => {
    const events = [
      fill(1, 'C', 2, 10, { id: 'a', builder: 'p', start: 0 }),
      fill(2, 'C', 3, 11, { id: 'b', start: 2 }),
      fill(3, 'C', 1, 12, { id: 'c', start: 2 }),
    ];
    expect(lotsAfter(...events)).toEqual(['C - b: 2 at 11', 'C - c: 1 at 12']);
    expect(lastEffects(...events)).toEqual([
      'c fill C -: 1 at 12, realized 0, closes []',
      'c unseen C -: -1 at null, realized 0, closes [1 of b], partial',
      'c unseen C p: -2 at null, realized 0, closes [2 of a], partial',
    ]);
  });

  it('remove all lots and open one of unknown cost where the sign changed unseen', () => {
    const events = [fill(1, 'C', 2, 10, { id: 'a', start: 0 }), fill(2, 'C', -1, 11, { id: 'b', start: -3 })];
    expect(lotsAfter(...events)).toEqual(['C - b: -3 at null', 'C - b: -1 at 11']);
    expect(lastEffects(...events)[1]).toBe('b unseen C -: -5 at null, realized 0, closes [2 of a], partial');
  });

  it('add a difference of the venue’s rounding to the newest lot, at its price', () => {
    const first = fill(1, 'C', '10', 7, { id: 'a', start: 0 });
    const lotsIfStated = (start: string) => lotsAfter(first, fill(2, 'C', '-1', 7, { id: 'b', start }));
    expect(lotsIfStated('10.000001')).toEqual(['C - a: 9.000001 at 7']);
    expect(lotsIfStated('9.999999')).toEqual(['C - a: 8.999999 at 7']);
    expect(lotsIfStated('10.0000011')).toEqual(['C - a: 9 at 7', 'C - b: 0.0000011 at null']);
    const large = fill(1, 'C', '1000000', 7, { id: 'a', start: 0 });
    expect(lotsAfter(large, fill(2, 'C', 1, 8, { id: 'b', start: '1000000.01' }))[0]).toBe('C - a: 1000000.01 at 7');
  });

  it('leave the venue’s rounding out where no lot is open', () => {
    expect(lotsAfter(fill(1, 'C', 1, 7, { id: 'a', start: '0.0000005' }))).toEqual(['C - a: 1 at 7']);
  });
});

describe('splits and merges', () => {
  it('open lots of every outcome at its share of the collateral, in the book without builder', () => {
    expect(lotsAfter(splitOrMerge('split', 1, ['Y', 'N'], 7, { id: 's' }))).toEqual([
      'N - s: 7 at 0.5',
      'Y - s: 7 at 0.5',
    ]);
    expect(lotsAfter(splitOrMerge('split', 1, ['A', 'B', 'C'], 1, { id: 's' }))[0]).toBe(
      'A - s: 1 at 0.333333333333333333',
    );
  });

  it('sell the oldest lots of all books, and what no lot covers in the book without builder', () => {
    const events = [
      fill(1, 'Y', 2, '0.4', { id: 'a', builder: 'p' }),
      fill(2, 'Y', 3, '0.6', { id: 'b' }),
      splitOrMerge('merge', 3, ['Y', 'N'], 4, { id: 'm' }),
    ];
    expect(lastEffects(...events)).toEqual([
      'm merge N -: -4 at 0.5, realized 0, closes []',
      'm merge Y -: -2 at 0.5, realized -0.2, closes [2 of b]',
      'm merge Y p: -2 at 0.5, realized 0.2, closes [2 of a]',
    ]);
    expect(lotsAfter(...events)).toEqual(['N - m: -4 at 0.5', 'Y - b: 1 at 0.6']);
  });
});

describe('conversions', () => {
  const nos = [fill(1, 'N1', 3, '0.9', { id: 'a', builder: 'p' }), fill(2, 'N2', 3, '0.5', { id: 'b' })];

  it('spread the cost less the collateral received over the YES tokens', () => {
    const events = [...nos, conversion(3, ['N1', 'N2'], ['Y3', 'Y4', 'Y5'], 3, { id: 'k' })];
    expect(lotsAfter(...events)).toEqual([
      'Y3 - k: 3 at 0.133333333333333333',
      'Y4 - k: 3 at 0.133333333333333333',
      'Y5 - k: 3 at 0.133333333333333333',
    ]);
    expect(lastEffects(...events).slice(0, 2)).toEqual([
      'k convert N1 p: -3 at null, realized 0, closes [3 of a]',
      'k convert N2 -: -3 at null, realized 0, closes [3 of b]',
    ]);
  });

  it('realize a gain in the book of the last removed lot where the collateral exceeds the cost', () => {
    const cheap = [fill(1, 'N1', 3, '0.2', { id: 'a' }), fill(2, 'N2', 3, '0.5', { id: 'b', builder: 'p' })];
    const events = [...cheap, conversion(3, ['N1', 'N2'], ['Y3'], 3, { id: 'k' })];
    expect(lastEffects(...events)).toEqual([
      'k convert N1 -: -3 at null, realized 0, closes [3 of a]',
      'k convert N2 p: -3 at null, realized 0.9, closes [3 of b]',
      'k convert Y3 -: 3 at 0, realized 0, closes []',
    ]);
  });

  it('realize the difference where no YES is received, also a loss', () => {
    expect(lastEffects(...nos, conversion(3, ['N1', 'N2'], [], 3, { id: 'k' }))[1]).toContain('realized -1.2,');
  });

  it('give the YES an unknown cost where a lot is missing or of unknown cost', () => {
    const events = [nos[1]!, conversion(3, ['N1', 'N2'], ['Y3'], 3, { id: 'k' })];
    expect(lotsAfter(...events)).toEqual(['N1 - k: -3 at null', 'Y3 - k: 3 at null']);
    expect(lastEffects(...events)).toEqual([
      'k convert N1 -: -3 at null, realized 0, closes [], partial',
      'k convert N2 -: -3 at null, realized 0, closes [3 of b]',
      'k convert Y3 -: 3 at null, realized 0, closes [], partial',
    ]);
  });
});

it('a settlement closes every lot of every book at its payout, negative ones too', () => {
  const events = [
    fill(1, 'Y', 2, '0.4', { id: 'a', builder: 'p' }),
    fill(2, 'Y', -3, '0.6', { id: 'b' }),
    settlement(3, { Y: 1, N: 0 }, { id: 's' }),
  ];
  expect(readable(ledgerOf(...events)).lots).toEqual([]);
  expect(lastEffects(...events)).toEqual([
    's settle Y -: 3 at 1, realized -1.2, closes [-3 of b]',
    's settle Y p: -2 at 1, realized 1.2, closes [2 of a]',
  ]);
});

describe('changes', () => {
  const a = fill(1, 'T', 10, '0.4', { id: 'a' });
  const b = fill(2, 'T', 10, '0.5', { id: 'b' });
  const c = fill(3, 'T', -15, '0.6', { id: 'c' });
  const other = fill(4, 'U', 1, '0.1', { id: 'other' });
  const ids = (applied: readonly { event: LedgerEvent }[]) => applied.map(({ event }) => event.id);

  it('apply a late event in its place, and report only the events whose effects changed', () => {
    const ledger = ledgerOf(b, c, other);
    const { written, removed } = changeLedger(ledger, [{ put: a }]);
    expect(ids(written)).toEqual(['a', 'c']);
    expect(removed).toEqual([]);
    expect(ledger).toEqual(ledgerOf(a, b, c, other));
  });

  it('correct an event, which remains received when it was first received', () => {
    const ledger = ledgerOf(a, b, c);
    const { written } = changeLedger(ledger, [{ put: { ...a, builder: 'p', receivedAt: 99 } }]);
    expect(ids(written)).toEqual(['a', 'c']);
    expect(written[0]!.event).toEqual({ ...a, builder: 'p' });
    expect(readable(ledger)).toEqual(readable(ledgerOf({ ...a, builder: 'p' }, b, c)));
  });

  it('remove an event and what followed from it', () => {
    const ledger = ledgerOf(a, b, c);
    const { written, removed } = changeLedger(ledger, [{ remove: a }]);
    expect([ids(written), ids(removed)]).toEqual([['c'], ['a']]);
    expect(ledger).toEqual(ledgerOf(b, c));
  });

  it('move an event that was removed and added in another place at once', () => {
    const ledger = ledgerOf(a, b);
    const moved = { ...a, at: 5, ts: 5000 };
    const { written, removed } = changeLedger(ledger, [{ remove: a }, { put: moved }]);
    expect([ids(written), ids(removed)]).toEqual([['a'], []]);
    expect(readable(ledger)).toEqual(readable(ledgerOf(b, moved)));
  });

  it('end as the last of several changes of one event', () => {
    const ledger = ledgerOf(a);
    expect(changeLedger(ledger, [{ put: b }, { remove: b }]).written).toEqual([]);
    expect(changeLedger(ledger, [{ remove: a }, { put: a }]).written).toEqual([]);
    expect(readable(ledger)).toEqual(readable(ledgerOf(a)));
  });

  it('are applied in short slices, however many events follow', () => {
    const later = Array.from({ length: 1_000 }, (_, at) =>
      fill(at + 10, 'T', at % 2 ? -1 : 1, '0.5', { id: `l${at}` }),
    );
    const ledger = ledgerOf(...later);
    const slices = changeLedgerInSlices(ledger, [{ put: a }]);
    let count = 0;
    while (!slices.next().done) count += 1;
    // Four passes over 1,000 events in slices of 64, at least.
    expect(count).toBeGreaterThan(60);
    expect(readable(ledger)).toEqual(readable(ledgerOf(a, ...later)));
  });

  it('do nothing where an event is repeated, or removed twice', () => {
    const ledger = ledgerOf(a);
    const before = structuredClone(ledger);
    expect(changeLedger(ledger, [{ put: { ...a, receivedAt: 5 } }, { remove: b }])).toEqual({
      written: [],
      previous: [],
      removed: [],
      refused: [],
    });
    expect(ledger).toEqual(before);
  });

  it('are refused once their time is folded into the lots', () => {
    const ledger = ledgerOf(a, b);
    foldLedger(ledger, 2000);
    expect(ids(ledger.applied)).toEqual(['b']);
    const { written, refused } = changeLedger(ledger, [{ put: fill(1, 'T', 1, 1, { id: 'late' }) }, { put: c }]);
    expect([ids(written), refused.map(({ id }) => id)]).toEqual([['c'], ['late']]);
    expect(readable(ledger).lots).toEqual(readable(ledgerOf(a, b, c)).lots);
    changeLedger(ledger, [{ remove: c }]);
    expect(readable(ledger).lots).toEqual(['T - a: 10 at 0.4', 'T - b: 10 at 0.5']);
  });
});

it('instrumentsOf returns every instrument that an event concerns', () => {
  expect(instrumentsOf(fill(1, 'T', 1, 1))).toEqual(['T']);
  expect(instrumentsOf(splitOrMerge('split', 1, ['Y', 'N'], 1))).toEqual(['Y', 'N']);
  expect(instrumentsOf(conversion(1, ['N1'], ['Y2'], 1))).toEqual(['N1', 'Y2']);
  expect(instrumentsOf(settlement(1, { Y: 1, N: 0 }))).toEqual(['Y', 'N']);
});

import { describe, expect, it } from 'vitest';
import { type Book, parseLevels } from '#schemas/domain/book';
import { formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import type { EventLink } from '#schemas/topics/derived';
import type { MarketStatus } from '#schemas/topics/normalised';
import { aLink } from '../testing/records.fixture.ts';
import { eventLadder, type QuestionMarkets } from './event-ladder.ts';

const A = aLink({
  provider: 'venue_a_outcome',
  providerMarketId: '#10',
  yesInstrument: '#10',
  noInstrument: '#11',
  takerFeeRate: '0',
});
const B = aLink({ yesInstrument: '111', noInstrument: '222', takerFeeRate: '0' });

type Side = readonly (readonly [price: string, size: string])[];
const bookOf = (bids: Side, asks: Side): Book => {
  const [own, other] = [bids, asks].map((side) => parseLevels(side.map(([price, size]) => ({ price, size }))));
  return { bids: own!, asks: other! };
};
/** YES can be bought on venue_b at 0.40 and sold on venue_a at 0.50; the NO tokens cost 0.55. */
const BOOKS = {
  '#10': { book: bookOf([['0.5', '20']], [['0.52', '20']]), bookAt: 7_000 },
  '#11': { book: bookOf([['0.5', '30']], [['0.55', '30']]), bookAt: 6_000 },
  '111': { book: bookOf([['0.38', '40']], [['0.4', '40']]), bookAt: 5_000 },
  '222': { book: bookOf([['0.5', '50']], [['0.55', '50']]), bookAt: 4_000 },
};
const NAMES = Object.keys(BOOKS);
const SIZES = [10, 100].map((size) => parseDecimal(String(size)));

interface Changes {
  readonly links?: readonly EventLink[];
  readonly books?: Readonly<Record<string, (typeof BOOKS)['#10']>>;
  readonly states?: Readonly<Record<string, MarketStatus['state'] | undefined>>;
  readonly isBehind?: boolean;
}

function ladder(
  kind: 'cross_provider' | 'negation_pair',
  { links = [A, B], books = {}, states = {}, isBehind = false }: Changes = {},
) {
  const statuses = new Map(
    NAMES.flatMap((name) => {
      const state = name in states ? states[name] : 'live';
      return state === undefined ? [] : [[name, { state }] as const];
    }),
  );
  const markets: QuestionMarkets = {
    books: new Map(Object.entries({ ...BOOKS, ...books })),
    statuses,
    isBehind,
    now: 10_000,
  };
  const found = eventLadder({ links: [...links] }, kind, SIZES, null, markets);
  return {
    ...found,
    profits: found.rows.map(({ quote }) => quote && formatDecimal(quote.profit)),
    best: found.bestSize && formatDecimal(found.bestSize),
  };
}
const reasonOf = (changes: Changes, kind: 'cross_provider' | 'negation_pair' = 'cross_provider') => {
  const { rows, reason, breakEvenSize, bestSize } = ladder(kind, changes);
  expect(rows).toEqual(SIZES.map((size) => ({ size, quote: null })));
  expect([breakEvenSize, bestSize]).toEqual([null, null]);
  return reason;
};

describe('the ladder of an event', () => {
  it('buys and sells YES in the books of two markets, in the direction that earns more', () => {
    expect(ladder('cross_provider')).toMatchObject({
      profits: ['1', null],
      best: '20',
      reason: 'thin_book',
      bookAt: 5_000,
    });
  });

  it('buys YES and NO of two markets, each in its own book', () => {
    // 0.40 and 0.55 with the older book of the two; the other direction would cost 0.52 and 0.55.
    expect(ladder('negation_pair')).toMatchObject({ profits: ['0.5', null], best: '30', bookAt: 5_000 });
  });

  it('takes the token of an inverse market that pays', () => {
    const inverse = { ...B, polarity: 'inverse' as const };
    // YES costs 1 − 0.38 on venue_b, so it is bought on venue_a at 0.52 and sold at 1 − 0.40.
    expect(ladder('cross_provider', { links: [A, inverse] })).toMatchObject({ profits: ['0.8', null], best: '20' });
    // The event's NO is the YES token of venue_b, at 0.40.
    expect(ladder('negation_pair', { links: [A, inverse] })).toMatchObject({ profits: ['0.8', null], best: '20' });
  });

  it('charges the fees of the markets', () => {
    const links = [A, { ...B, takerFeeRate: '0.07' }];
    expect(ladder('cross_provider', { links }).profits).toEqual(['0.832', null]);
  });

  it('leaves out a pair of which a side cannot be quoted, while another pair can', () => {
    // Without the NO of venue_a only the direction is left that buys YES there and NO on venue_b.
    expect(ladder('negation_pair', { states: { '#11': 'stale' } })).toMatchObject({
      profits: ['-0.7', null],
      best: null,
      bookAt: 4_000,
    });
  });

  it('names why no pair can be quoted', () => {
    expect(reasonOf({ links: [A] })).toBe('one_provider');
    expect(reasonOf({ links: [A, { ...B, used: false }] })).toBe('link_not_used');
    expect(reasonOf({ states: { '111': 'stale' } })).toBe('stale_leg');
    expect(reasonOf({ states: { '111': 'recovering' } })).toBe('stale_leg');
    expect(reasonOf({ states: { '111': undefined } })).toBe('no_book');
    expect(reasonOf({ isBehind: true })).toBe('stale_leg');
    expect(reasonOf({ links: [A, { ...B, marketState: 'closed' }] })).toBe('no_book');
    expect(reasonOf({ books: { '111': { book: bookOf([], []), bookAt: 1 } } })).toBe('no_book');
    expect(reasonOf({ links: [A, { ...B, takerFeeRate: null }] })).toBe('unknown_fee');
    expect(reasonOf({ links: [A, { ...B, yesInstrument: '' }] })).toBe('no_book');
    expect(reasonOf({ links: [A, { ...B, noInstrument: null }], states: { '#11': undefined } }, 'negation_pair')).toBe(
      'no_book',
    );
    const emptySides = { '#10': { book: bookOf([], [['0.5', '1']]), bookAt: 1 } };
    expect(reasonOf({ books: { ...emptySides, '111': { book: bookOf([['0.3', '1']], []), bookAt: 1 } } })).toBe(
      'thin_book',
    );
  });

  it('names the reason of the pair that is closest to a quote', () => {
    const C = { ...A, providerMarketId: '#20', yesInstrument: '222', takerFeeRate: null };
    expect(reasonOf({ links: [A, C, B], states: { '#10': 'stale' } })).toBe('unknown_fee');
  });
});

import { expect, it } from 'vitest';
import type { EventLink, SpreadLeg } from '#schemas/topics/derived';
import { aLink, aSpread } from '../testing/records.fixture.ts';
import { absentPairs, missingEdgeReason } from './missing-edge.ts';

const link = (provider: string, fields: Partial<EventLink> = {}) =>
  aLink({ provider, providerMarketId: `${provider} market`, ...fields });
const leg = (provider: string, fields: Partial<SpreadLeg> = {}): SpreadLeg => ({
  ...aSpread().legs[0]!,
  provider,
  marketId: `${provider} market`,
  ...fields,
});
const LINKS = [link('a'), link('b')];
const LEGS = [leg('a'), leg('b')];

it('names a missing provider before an unused link', () => {
  expect(missingEdgeReason({ links: [] }, [])).toBe('one_provider');
  expect(missingEdgeReason({ links: [link('a'), link('a', { providerMarketId: 'other' })] }, LEGS)).toBe(
    'one_provider',
  );
  expect(missingEdgeReason({ links: [link('a'), link('b', { used: false })] }, [leg('a')])).toBe('link_not_used');
});

it.each([
  ['stale', 'stale_leg'],
  ['recovering', 'stale_leg'],
  ['venue_down', 'stale_leg'],
  ['closed', 'no_book'],
  ['resolved', 'no_book'],
  [null, 'no_book'],
] as const)('names the state %s of a leg', (state, reason) => {
  const legs = [leg('a'), leg('b', { state, live: false })];
  expect(missingEdgeReason({ links: LINKS }, legs)).toBe(reason);
});

it('names a book without any price, a leg that is missing, an unknown fee, and otherwise a thin book', () => {
  expect(missingEdgeReason({ links: LINKS }, [leg('a'), leg('b', { yesBid: null, yesAsk: null })])).toBe('no_book');
  expect(missingEdgeReason({ links: LINKS }, [leg('a')])).toBe('no_book');
  expect(missingEdgeReason({ links: [link('a'), link('b', { takerFeeRate: null })] }, LEGS)).toBe('unknown_fee');
  expect(missingEdgeReason({ links: LINKS }, LEGS)).toBe('thin_book');
  expect(missingEdgeReason({ links: LINKS }, [leg('a'), leg('b', { yesBid: null })])).toBe('thin_book');
});

it('names the reason of the pair that is closest to a quote', () => {
  const links = [...LINKS, link('c', { takerFeeRate: null })];
  const legs = [leg('a'), leg('b', { state: 'stale', live: false }), leg('c')];
  expect(missingEdgeReason({ links }, legs)).toBe('unknown_fee');
});

const NO_STATUSES = new Map();
const live = (...instruments: string[]) => new Map(instruments.map((name) => [name, { state: 'live' as const }]));
const NONE = new Set<'cross_provider' | 'negation_pair'>();

it('lists every ordered pair of a kind without a record, with the reason of either side', () => {
  const links = [link('a', { noInstrument: 'a no' }), link('b', { noInstrument: null })];
  const legs = [leg('a'), leg('b', { yesBid: null })];
  expect(absentPairs({ links }, legs, live('a no'), NONE)).toEqual([
    { kind: 'cross_provider', buyMarketId: 'a market', sellMarketId: 'b market', reason: 'thin_book' },
    { kind: 'cross_provider', buyMarketId: 'b market', sellMarketId: 'a market', reason: 'thin_book' },
    { kind: 'negation_pair', buyMarketId: 'a market', sellMarketId: 'b market', reason: 'no_book' },
    { kind: 'negation_pair', buyMarketId: 'b market', sellMarketId: 'a market', reason: 'thin_book' },
  ]);
});

it('lists of a kind with a record only the pairs of which something is known to be missing', () => {
  const links = [link('a', { noInstrument: 'a no' }), link('b', { noInstrument: 'b no' })];
  const statuses = new Map([
    ['a no', { state: 'live' as const }],
    ['b no', { state: 'stale' as const }],
  ] as const);
  const quoted = new Set(['cross_provider', 'negation_pair'] as const);
  expect(absentPairs({ links }, LEGS, statuses, quoted)).toEqual([
    { kind: 'negation_pair', buyMarketId: 'a market', sellMarketId: 'b market', reason: 'stale_leg' },
  ]);
  const unknownFee = [link('a', { noInstrument: 'a no' }), link('b', { noInstrument: 'a no', takerFeeRate: null })];
  expect(absentPairs({ links: unknownFee }, LEGS, statuses, quoted).map(({ reason }) => reason)).toEqual(
    Array(4).fill('unknown_fee'),
  );
});

it('looks at the token that pays: the NO token of an inverse market pays if the event is YES', () => {
  const links = [link('a', { noInstrument: 'a no', polarity: 'inverse' }), link('b', { noInstrument: 'b no' })];
  const reasons = (statuses: ReadonlyMap<string, { state: 'live' }>) =>
    absentPairs({ links }, LEGS, statuses, new Set(['cross_provider', 'negation_pair'])).map(
      ({ buyMarketId, reason }) => [buyMarketId, reason],
    );
  expect(reasons(live('b no'))).toEqual([['a market', 'no_book']]);
  expect(reasons(live('a no'))).toEqual([['a market', 'no_book']]);
  expect(reasons(live('a no', 'b no'))).toEqual([]);
});

it('lists pairs with unused links and closed markets, and a single provider without markets', () => {
  const unused = absentPairs({ links: [link('a'), link('b', { used: false })] }, [leg('a')], NO_STATUSES, NONE);
  expect(new Set(unused.map(({ reason }) => reason))).toEqual(new Set(['link_not_used']));
  const closed = absentPairs(
    { links: LINKS },
    [leg('a'), leg('b', { live: false, state: 'closed' })],
    live('222'),
    NONE,
  );
  expect(new Set(closed.map(({ reason }) => reason))).toEqual(new Set(['no_book']));
  expect(absentPairs({ links: [link('a')] }, LEGS, NO_STATUSES, NONE)).toEqual([
    { kind: 'cross_provider', buyMarketId: null, sellMarketId: null, reason: 'one_provider' },
    { kind: 'negation_pair', buyMarketId: null, sellMarketId: null, reason: 'one_provider' },
  ]);
});

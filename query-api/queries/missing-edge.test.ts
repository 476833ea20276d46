import { expect, it } from 'vitest';
import type { EventLink, SpreadLeg } from '#schemas/topics/derived';
import { aLink, aSpread } from '../testing/records.fixture.ts';
import { missingEdgeReason } from './missing-edge.ts';

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

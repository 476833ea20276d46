import { expect, test } from 'vitest';
import { idOfRow } from './csv.ts';
import type { Row } from './shapes.ts';

const FIGURES: Row = {
  realized: null,
  unrealized: null,
  openPosition: null,
  tradeCount: null,
  fees: null,
  coverage: 'complete',
};

test('rows of one builder at two providers are distinguished', () => {
  const ids = ['venue_a_perp', 'venue_a_dex'].map((provider) => idOfRow({ ...FIGURES, provider, builder: '0xb1' }));
  expect(ids).toEqual(['venue_a_perp 0xb1', 'venue_a_dex 0xb1']);
});

test('a row of another grouping is named by what it groups', () => {
  const leg = { provider: 'venue_a_perp', marketId: 'm1', tokenId: 't1', outcome: null, realized: null };
  const legs = [{ ...leg, unrealized: null, openPosition: 0, avgCost: null, currentPrice: null, tradeCount: null }];
  expect(idOfRow({ ...FIGURES, walletId: 'w1', provider: 'venue_b' })).toBe('w1');
  expect(idOfRow({ ...FIGURES, provider: 'venue_b' })).toBe('venue_b');
  expect(idOfRow({ ...FIGURES, universalId: 'u1', legs })).toBe('u1');
  expect(idOfRow({ ...FIGURES, universalId: null, legs })).toBe('m1');
});

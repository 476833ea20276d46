import { expect, it } from 'vitest';
import { subscriptionsOf } from './subscriptions.ts';

const CATALOG = ['trade', 'spread', 'dispute'].map((type) => ({ type, version: 1 }));
const stored = (eventType: string, filters: Record<string, unknown> = {}) => ({ eventType, version: 1, filters });

it('keeps every subscription of a chosen type, also two of the same type with other filters', () => {
  const twice = [stored('spread', { universalIds: ['evt_1'] }), stored('spread', { universalIds: ['evt_2'] })];
  expect(subscriptionsOf(CATALOG, new Set(['spread']), twice)).toEqual(twice);
});

it('drops the types that are no longer chosen, and adds new ones without filters', () => {
  const before = [stored('spread', { universalIds: ['evt_1'] }), stored('dispute')];
  expect(subscriptionsOf(CATALOG, new Set(['trade', 'dispute']), before)).toEqual([stored('dispute'), stored('trade')]);
});

it('keeps a subscription whose type the catalog does not list, which has no box to be unchecked', () => {
  expect(subscriptionsOf(CATALOG, new Set(['trade']), [stored('retired')])).toEqual([
    stored('retired'),
    stored('trade'),
  ]);
});

import { expect, it } from 'vitest';
import {
  candidatesOf,
  type FilterField,
  filterFields,
  filterText,
  subscriptionsOf,
  valuesIn,
} from './subscriptions.ts';

const FILTERS = {
  properties: { universalIds: { type: 'array', items: {} }, brokers: { type: 'array', items: { enum: ['venue_a'] } } },
};
const CATALOG = ['trade', 'spread', 'dispute'].map((type) => ({ type, version: 1, filters: FILTERS }));
const stored = (eventType: string, filters: Record<string, unknown> = {}) => ({ eventType, version: 1, filters });
/** What a form shows that nobody changes. */
const unchanged = (before: readonly ReturnType<typeof stored>[]) => (type: string, index: number, field: FilterField) =>
  valuesIn(filterText(candidatesOf(CATALOG.find((entry) => entry.type === type)!, before)[index]!, field.name));
const save = (types: readonly string[], before: readonly ReturnType<typeof stored>[], valuesOf = unchanged(before)) =>
  subscriptionsOf(CATALOG, new Set(types), before, valuesOf);

it('keeps every subscription of a chosen type, also two of the same type with other filters', () => {
  const twice = [stored('spread', { universalIds: ['evt_1', 'evt_3'] }), stored('spread', { universalIds: ['evt_2'] })];
  expect(save(['spread'], twice)).toEqual(twice);
});

it('drops the types that are no longer chosen, and adds new ones without filters', () => {
  const before = [stored('spread', { universalIds: ['evt_1'] }), stored('dispute')];
  expect(save(['trade', 'dispute'], before)).toEqual([stored('trade'), stored('dispute')]);
});

it('keeps a subscription whose type the catalog does not list, which has no box to be unchecked', () => {
  expect(save(['trade'], [stored('retired', { any: 1 })])).toEqual([stored('retired', { any: 1 }), stored('trade')]);
});

it('has the filters that were filled in, and keeps those without a field', () => {
  const before = [stored('spread', { universalIds: ['evt_1'], unknown: 5 })];
  const filled = save(['spread'], before, (_type, _index, { name }) => (name === 'brokers' ? ['venue_a'] : []));
  expect(filled).toEqual([stored('spread', { brokers: ['venue_a'], unknown: 5 })]);
});

it('takes the fields from the JSON Schema of the catalog', () => {
  expect(filterFields(FILTERS)).toEqual([
    { name: 'universalIds', values: null },
    { name: 'brokers', values: ['venue_a'] },
  ]);
  expect(filterFields({})).toEqual([]);
});

it('separates values at commas and spaces', () => {
  expect(valuesIn(' evt_1, evt_2\nevt_3,')).toEqual(['evt_1', 'evt_2', 'evt_3']);
});

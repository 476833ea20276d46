import { describe, expect, it } from 'vitest';
import { EVENT_TYPES, findEventType } from '#schemas/webhooks/event-types';
import { FILTER_FIELDS, PRODUCED_VERSION } from './interests.ts';

describe('the produced event types', () => {
  it('are those that the catalog marks as delivering', () => {
    const delivering = EVENT_TYPES.filter((entry) => entry.delivering).map(({ type }) => type);
    expect(Object.keys(FILTER_FIELDS).sort()).toEqual([...delivering].sort());
  });

  it.each(Object.entries(FILTER_FIELDS))('%s accepts the filter %s', (type, filter) => {
    const { filters } = findEventType(type, PRODUCED_VERSION)!;
    const value = { brokers: 'venue_a', universalIds: 'evt_1' }[filter];
    expect(filters.safeParse({ [filter]: [value] }).success).toBe(true);
    expect(filters.safeParse({ [`no ${filter}`]: [value] }).success).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cloudEventBody } from './cloud-event.ts';
import { EVENT_TYPES, findEventType } from './event-types.ts';

describe('the catalog', () => {
  it('finds a type by its id and version alone', () => {
    expect(findEventType('broker.trade.executed', 1)).toBe(EVENT_TYPES[0]);
    expect(findEventType('broker.trade.executed', 2)).toBeUndefined();
    expect(findEventType('broker.trade', 1)).toBeUndefined();
  });

  it.each(EVENT_TYPES.map((entry) => [entry.type, entry] as const))(
    '%s can be converted to JSON Schema',
    (_type, entry) => {
      for (const part of [entry.filters, entry.data]) {
        expect(z.toJSONSchema(part)).toMatchObject({ type: 'object', additionalProperties: false });
      }
    },
  );

  it.each(EVENT_TYPES.map((entry) => [entry.type, entry] as const))('%s has a valid sample', (_type, entry) => {
    expect(entry.data.safeParse(entry.sample)).toMatchObject({ success: true });
  });

  it('has no floats: all numbers are integers', () => {
    const numbers: string[] = [];
    const visit = (path: string, node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      if ((node as { type?: unknown }).type === 'number') numbers.push(path);
      for (const [name, child] of Object.entries(node)) visit(`${path}.${name}`, child);
    };
    for (const { type, data } of EVENT_TYPES) visit(type, z.toJSONSchema(data));
    expect(numbers).toEqual([]);
  });

  it('refuses filters that a type does not accept', () => {
    const { filters } = findEventType('broker.trade.executed', 1)!;
    expect(filters.safeParse({ brokers: ['venue_a'] }).success).toBe(true);
    expect(filters.safeParse({}).success).toBe(true);
    for (const bad of [{ brokers: [] }, { brokers: ['binance'] }, { universalIds: ['evt_1'] }]) {
      expect(filters.safeParse(bad).success).toBe(false);
    }
  });
});

it('event ids in filters have at most 64 characters after evt_', () => {
  const { filters } = findEventType('event.spread.changed', 1)!;
  const isValid = (id: string) => filters.safeParse({ universalIds: [id] }).success;
  expect(isValid(`evt_${'a'.repeat(64)}`)).toBe(true);
  for (const bad of [`evt_${'a'.repeat(65)}`, 'evt_', 'evt_a\n', 'a']) expect(isValid(bad), bad).toBe(false);
});

it('the body is a CloudEvent 1.0', () => {
  const parts = { id: 'we_1', type: 'event.spread.changed', version: 1, time: 0, subject: 'evt_1', data: {} } as const;
  expect(JSON.parse(cloudEventBody(parts))).toEqual({
    specversion: '1.0',
    id: 'we_1',
    source: '/v1/webhooks',
    type: 'event.spread.changed',
    eventversion: '1',
    time: '1970-01-01T00:00:00.000Z',
    subject: 'evt_1',
    datacontenttype: 'application/json',
    data: {},
  });
});

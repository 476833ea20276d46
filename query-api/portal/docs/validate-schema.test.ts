import { describe, expect, it } from 'vitest';
import { faultOf, type Schema } from './validate-schema.ts';

const SUBSCRIPTION: Schema = {
  type: 'object',
  properties: { eventType: { type: 'string', minLength: 1 }, version: { type: 'integer', minimum: 1, maximum: 1 } },
  required: ['eventType'],
  additionalProperties: false,
};

describe('the check of a value', () => {
  it.each<[Schema, unknown]>([
    [{ type: 'integer', minimum: 1 }, 1],
    [{ type: 'string', pattern: '^0x[0-9a-f]{4}$' }, '0x12af'],
    [{ anyOf: [{ type: 'null' }, { type: 'string' }] }, null],
    [{ enum: ['asc', 'desc'] }, 'asc'],
    [{ type: 'array', items: SUBSCRIPTION, maxItems: 2 }, [{ eventType: 'a', version: 1 }]],
    [{ type: 'object', additionalProperties: { type: 'string' } }, { a: 'b' }],
    [{}, [1]],
  ])('accepts with %j the value %j', (schema, value) => {
    expect(faultOf(value, schema, 'x')).toBeNull();
  });

  it.each<[Schema, unknown, string]>([
    [{ type: 'integer' }, 1.5, 'x: must be of type integer'],
    [{ type: 'number' }, Number.NaN, 'x: must be of type number'],
    [{ type: 'number' }, Number.POSITIVE_INFINITY, 'x: must be of type number'],
    [{ type: 'integer', maximum: 3 }, 4, 'x: must be at most 3'],
    [{ type: 'string', maxLength: 2 }, 'abc', 'x: must be at most 2 characters'],
    [{ type: 'string', pattern: '^a$' }, 'b', 'x: has another form than expected'],
    [{ enum: ['asc', 'desc'] }, 'up', 'x: must be one of asc, desc'],
    [{ const: 1 }, 2, 'x: must be 1'],
    [{ anyOf: [{ type: 'null' }, { type: 'string', minLength: 1 }] }, '', 'x: must be at least 1 characters'],
    [{ type: 'array', items: SUBSCRIPTION }, [{}], 'x.0.eventType: is missing'],
    [{ type: 'array', minItems: 1 }, [], 'x: must be at least 1 items'],
    [SUBSCRIPTION, { eventType: 'a', other: 1 }, 'x.other: unknown field'],
    [SUBSCRIPTION, [], 'x: must be of type object'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, { a: 1 }, 'x.a: must be of type string'],
  ])('refuses with %j the value %j', (schema, value, fault) => {
    expect(faultOf(value, schema, 'x')).toBe(fault);
  });

  it('names the fields of a body without a prefix', () => {
    expect(faultOf({}, SUBSCRIPTION, '')).toBe('eventType: is missing');
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonLength } from './json-length.ts';

it('is close to the length of the JSON text', () => {
  const row = { id: 'wh_1', url: 'https://a.example', list: [{ name: 'x'.repeat(100), one: 1 }, 'two'], no: null };
  expect(Math.abs(jsonLength(row) / JSON.stringify(row).length - 1)).toBeLessThan(0.1);
  const texts = Array.from({ length: 1_000 }, (_, n) => `evt_${n}`);
  expect(Math.abs(jsonLength(texts) / JSON.stringify(texts).length - 1)).toBeLessThan(0.001);
});

it('counts neither escapes nor undefined fields', () => {
  expect(jsonLength('"\n"')).toBe(jsonLength('abc'));
  expect(jsonLength({ a: 'b', c: undefined })).toBe(jsonLength({ a: 'b' }));
});

it('is the same after the value was serialized and parsed', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(jsonLength(JSON.parse(JSON.stringify(value)))).toBe(jsonLength(value));
    }),
    { seed: 9, numRuns: 300 },
  );
});

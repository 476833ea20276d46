import avsc from 'avsc';
import { describe, expect, it } from 'vitest';
import { parseSchema } from './create-codec.ts';

const text = parseSchema('string');
const bytes = parseSchema('bytes');
/** avsc returns a negative offset for a value that is incomplete or has a negative length. */
const MALFORMED = { value: undefined, offset: -1 };

describe('a text', () => {
  it.each(['', 'a', '0.5', '12345678', '123456789', '\x00', '\x7f', 'x'.repeat(63), 'x'.repeat(64), 'x'.repeat(200)])(
    'of ASCII characters is decoded as it was encoded: %j',
    (value) => {
      expect(text.fromBuffer(text.toBuffer(value))).toBe(value);
    },
  );

  it('of each length from 1 to 9 is decoded with a character of several bytes at each place', () => {
    for (let length = 1; length <= 9; length += 1)
      for (let at = 0; at < length; at += 1)
        for (const other of ['\x80', 'é', '€', '😀']) {
          const value = `${'a'.repeat(at)}${other}${'b'.repeat(length - at - 1)}`;
          expect(text.fromBuffer(text.toBuffer(value))).toBe(value);
        }
  });

  it('is encoded as avsc encodes it', () => {
    const plain = avsc.Type.forSchema('string');
    const texts = ['', '0.5', 'é', 'a€', 'x'.repeat(63), `${'x'.repeat(62)}é`, 'x'.repeat(64), 'é'.repeat(64)];
    for (const value of texts) expect(text.toBuffer(value)).toEqual(plain.toBuffer(value));
  });

  it('is not written beyond the end of a buffer; avsc returns how many bytes are missing', () => {
    const plain = avsc.Type.forSchema('string');
    for (const room of [0, 1, 3, 4, 5])
      expect(text.encode('abcd', Buffer.alloc(room), 0)).toBe(plain.encode('abcd', Buffer.alloc(room), 0));
  });

  it('cannot be a value of another type', () => {
    expect(() => text.toBuffer(5)).toThrow('invalid "string"');
  });

  it.each([
    ['ends too early', [6, 0x61, 0x62]],
    ['has a negative length', [3, 0x61, 0x62]],
    ['has no length', []],
  ])('that %s is malformed', (_, encoded) => {
    expect(text.decode(Buffer.from(encoded), 0)).toEqual(MALFORMED);
  });
});

describe('bytes', () => {
  it.each([0, 1, 63, 64, 5_000])('are a view of the record: %i of them', (length) => {
    const value = Buffer.from(Array.from({ length }, (_, at) => at % 256));
    const encoded = bytes.toBuffer(value);
    const decoded = bytes.fromBuffer(encoded) as Buffer;
    expect(decoded.equals(value)).toBe(true);
    expect(decoded.buffer).toBe(encoded.buffer);
  });

  it.each([
    ['end too early', [6, 1, 2]],
    ['have a negative length', [3, 1, 2]],
    ['have no length', []],
  ])('that %s are malformed', (_, encoded) => {
    expect(bytes.decode(Buffer.from(encoded), 0)).toEqual(MALFORMED);
  });
});

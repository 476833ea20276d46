import { describe, expect, it } from 'vitest';
import { chooseEncoding, EncodedBody } from './encodings.ts';

describe('chooseEncoding', () => {
  it.each([
    [undefined, null],
    ['', null],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP, deflate', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0 , gzip; q=0', null],
    ['*', 'br'],
    ['*;q=0', null],
    ['br;q=0, *', 'gzip'],
    ['deflate', null],
    ['identity', null],
    ['identity;q=1, gzip;q=0.5', null],
    ['identity;q=0.5, gzip;q=1', 'gzip'],
    ['gzip;q=nonsense', null],
    ['gzip;q=7', null],
    [',,;q=1', null],
  ])('for the header %j returns %j', (header, encoding) => {
    expect(chooseEncoding(header)).toBe(encoding);
  });
});

describe('EncodedBody', () => {
  it('compresses once per encoding, however many callers there are', async () => {
    const body = new EncodedBody(Buffer.from('x'.repeat(5_000)));
    const [first, second] = await Promise.all([body.compressedWith('gzip'), body.compressedWith('gzip')]);
    expect(second).toBe(first);
    expect(await body.compressedWith('gzip')).toBe(first);
    expect(first.length).toBeLessThan(100);
  });
});

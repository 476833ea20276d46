import { describe, expect, it } from 'vitest';
import { formatToken, mintToken, parseToken } from './token.ts';

const UUID = '00000000-0000-4000-8000-00000000000a';

describe('a token', () => {
  it('is parsed to its parts', () => {
    for (const sandbox of [false, true]) {
      const token = mintToken(sandbox);
      expect(formatToken(token)).toMatch(sandbox ? /^plx_test_/ : /^plx_live_/);
      expect(parseToken(formatToken(token))).toEqual(token);
      expect(Buffer.from(token.secret, 'base64url')).toHaveLength(32);
    }
  });
  it('is unique', () => {
    expect(formatToken(mintToken())).not.toBe(formatToken(mintToken()));
  });
  it.each([
    '',
    `plx_live_${UUID}`,
    `plx_live_${UUID}.${'a'.repeat(42)}`,
    `plx_live_${UUID}.${'a'.repeat(44)}`,
    `plx_live_${UUID}.${'a'.repeat(42)}!`,
    `plx_live_${UUID.toUpperCase()}.${'a'.repeat(43)}`,
    `plx_prod_${UUID}.${'a'.repeat(43)}`,
    `xplx_live_${UUID}.${'a'.repeat(43)}`,
    `plx_live_${UUID}.${'a'.repeat(43)}\n`,
  ])('cannot be %j', (text) => {
    expect(parseToken(text)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { findPage, PAGES } from './pages.ts';

describe('pages', () => {
  it('have paths and keys of their own', () => {
    for (const property of ['path', 'key'] as const) {
      const values = PAGES.flatMap((page) => page[property] ?? []);
      expect(new Set(values).size, property).toBe(values.length);
    }
  });

  it.each([
    ['/portal/', 'overview', {}],
    ['/portal/events', 'events', {}],
    ['/portal/markets', 'markets', {}],
    ['/portal/markets/perp/BTC', 'market', { coin: 'BTC' }],
    ['/portal/markets/dex/xyz/TSLA', 'market', { dex: 'xyz', symbol: 'TSLA' }],
    ['/portal/events/a%2Fb', 'event', { universalId: 'a/b' }],
  ])('are found by their path %s', (path, name, params) => {
    expect(findPage(path)).toMatchObject({ page: { name }, params });
  });

  it.each(['/portal', '/portal/events/', '/portal/events/a/b', '/portal/%', '/portal/events/%', '/keys'])(
    'are not found at %s',
    (path) => {
      expect(findPage(path)).toBeNull();
    },
  );
});

import { describe, expect, it } from 'vitest';
import { parseCatalogTime } from './catalog-time.ts';

describe('parseCatalogTime', () => {
  const AT = Date.UTC(2026, 4, 9, 2, 7, 1);

  it.each([
    ['2026-05-09 02:07:01+00', AT],
    ['2026-05-09 02:07:01.25+00', AT + 250],
    ['2026-05-09T02:07:01Z', AT],
    ['2026-05-09 04:37:01+02:30', AT],
    ['2026-05-08 23:07:01-0300', AT],
    ['2026-05-09', Date.UTC(2026, 4, 9)],
  ])('parses %s', (text, at) => {
    expect(parseCatalogTime(text)).toBe(at);
  });

  it('parses a time without a zone as UTC, whatever the zone of the machine', () => {
    const zone = process.env.TZ;
    try {
      process.env.TZ = 'America/New_York';
      expect(parseCatalogTime('2026-05-09 02:07:01')).toBe(AT);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  it.each([
    [undefined],
    [null],
    [AT],
    [''],
    ['soon'],
    ['9 May 2026'],
    ['2026-13-09 02:07:01+00'],
    ['2026-05-09 02:07+00'],
  ])('returns null for %j', (value) => {
    expect(parseCatalogTime(value)).toBeNull();
  });

  it('returns null for the zero time of the venue', () => {
    expect(parseCatalogTime('0001-01-01 00:00:00+00')).toBeNull();
  });
});

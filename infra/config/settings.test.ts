import { describe, expect, it } from 'vitest';
import { DEFAULT_QUOTAS } from '#schemas/domain/quota/plan-quotas';
import { SettingError } from './declare.ts';
import { loadSettings } from './settings.ts';

const quotasOf = (text: string) => loadSettings([], { PARALLAX_QUOTAS: text }).quotas;

describe('PARALLAX_QUOTAS', () => {
  it('changes the quotas that it names and no others', () => {
    expect(loadSettings([], {}).quotas).toEqual(DEFAULT_QUOTAS);
    const { free, pro } = quotasOf('{"free":{"markets.read":{"minute":7}}}');
    expect(free['markets.read']).toEqual({ minute: 7, day: DEFAULT_QUOTAS.free['markets.read'].day });
    expect(pro).toEqual(DEFAULT_QUOTAS.pro);
  });

  it.each([
    ['{', /^PARALLAX_QUOTAS is invalid: [^;]+; accepted: JSON /],
    ['{"free":{"markets.read":{"minute":-1}}}', /^PARALLAX_QUOTAS .*free\.markets\.read\.minute/],
    ['{"free":{"markets.read":{"hour":1}}}', /^PARALLAX_QUOTAS .*free\.markets\.read/],
    ['{"gold":{}}', /^PARALLAX_QUOTAS /],
  ])('is refused with one line that names the invalid part: %s', (text, message) => {
    expect(() => quotasOf(text)).toThrow(SettingError);
    expect(() => quotasOf(text)).toThrow(message);
  });
});

describe('PARALLAX_ARBITRAGE_SIZE', () => {
  it.each(['0.5', '100', '0010'])('accepts %s', (text) => {
    expect(loadSettings([], { PARALLAX_ARBITRAGE_SIZE: text }).arbitrageSize).toBe(text);
  });

  it.each(['0', '0.00', '-1', '1e3', ''])('refuses %j', (text) => {
    expect(() => loadSettings([], { PARALLAX_ARBITRAGE_SIZE: text })).toThrow(SettingError);
  });
});

import { describe, expect, it } from 'vitest';
import { parseExpiry, parsePairs } from './outcome-description.ts';

describe('the pairs of a description', () => {
  it('are read from structured text', () => {
    expect(parsePairs('class:priceBinary|underlying:SOL|expiry:20310405-0915|targetPrice:201.5')).toEqual({
      class: 'priceBinary',
      underlying: 'SOL',
      expiry: '20310405-0915',
      targetPrice: '201.5',
    });
    expect(parsePairs('metadata=category:sports | subCategory: chess ')).toEqual({
      category: 'sports',
      subCategory: 'chess',
    });
  });

  it('may contain colons in their values', () => {
    expect(parsePairs('rules:see https://example.org/a')).toEqual({ rules: 'see https://example.org/a' });
  });

  it.each(['', 'Will it rain on Monday?', 'index:0|and then some words', '|'])('are none in %j', (text) => {
    expect(parsePairs(text)).toEqual({});
  });
});

describe('an expiry', () => {
  it('is read as UTC', () => {
    expect(parseExpiry('20310405-0915')).toBe(Date.UTC(2031, 3, 5, 9, 15));
    expect(parseExpiry('20320229-2359')).toBe(Date.UTC(2032, 1, 29, 23, 59));
  });

  it.each([
    undefined,
    '',
    '20310405',
    '2031-04-05',
    '20310229-0000',
    '20311301-0000',
    '20310405-2400',
    '20310405-0060',
  ])('is unknown for %s', (written) => {
    expect(parseExpiry(written)).toBeNull();
  });
});

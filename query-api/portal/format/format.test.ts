import { describe, expect, it } from 'vitest';
import { anomalyName, wordsOf } from './names.ts';
import { bytesText, compactText, decimalText, digitsOf, digitsOfComputed, signedText } from './number.ts';
import { attemptsOf, countGaps, pricesOf, unitsByDay } from './series.ts';
import { agoText, clockText, exactText, momentText, spanText, tickTexts } from './time.ts';

const NOON = Date.UTC(2026, 0, 15, 12, 10, 5, 7);

describe('texts of numbers', () => {
  it.each([
    [1234.5, 2, '1,234.50'],
    [-0.00001, 2, '0.00'],
    [-0.5, 1, '−0.5'],
    [0, 0, '0'],
  ])('%d with %d decimals is %s', (value, digits, text) => {
    expect(decimalText(value, digits)).toBe(text);
  });

  it('show a sign only if a digit remains', () => {
    expect([0.5, -0.5, 0.001, 0].map((value) => signedText(value, 1))).toEqual(['+0.5', '−0.5', '0.0', '0.0']);
  });

  it.each([
    [[1, null, 1.25, 3.5], 8, 2],
    [[61_000, 61_500], 0, 0],
    [[0.123456789], 8, 8],
    [[], 8, 0],
  ])('of %j need, with at most %d decimals, %d', (values, max, digits) => {
    expect(digitsOf(values, max)).toBe(digits);
  });

  it.each([
    [999, '999'],
    [1234, '1.23K'],
    [-2_500_000, '−2.50M'],
    [4.15e9, '4.15B'],
    [0.5, '0.50'],
  ])('shorten %d to %s', (value, text) => {
    expect(compactText(value)).toBe(text);
  });

  it('of bytes use the largest unit that fits', () => {
    expect([0, 1_023, 1_536, 5 * 2 ** 30, 2 ** 52].map(bytesText)).toEqual([
      '0 B',
      '1,023 B',
      '1.5 KiB',
      '5.0 GiB',
      '4,096.0 TiB',
    ]);
  });

  it('have as many decimals as the finest value of a column', () => {
    expect(digitsOf([0.5, 0.123, null, 7])).toBe(3);
    expect(digitsOf([1, 2])).toBe(0);
    expect(digitsOf([0.123456789], 6)).toBe(6);
  });

  it.each([
    [[1 / 3, 2.5], 4],
    [[64_000, 0.00001234], 7],
    [[-0.00001, 0, null], 5],
    [[64_000.5], 1],
    [[1.2345e-7], 8],
    [[null, 0], 0],
  ])('of the computed figures %j have, usually at most 4, %d decimals', (values, digits) => {
    expect(digitsOfComputed(values, 4)).toBe(digits);
  });
});

describe('texts of the ticks of a time axis', () => {
  const ticks = [22, 23, 24, 25].map((hour) => Date.UTC(2026, 0, 15, hour) / 1_000);

  it('name the day below the first hour and below the first hour of each day', () => {
    expect(tickTexts(ticks, 3_600, true)).toEqual(['22:00\n01-15', '23:00', '00:00\n01-16', '01:00']);
  });

  it('are days where ticks are a day or more apart, and seconds where they are less than a minute apart', () => {
    expect(tickTexts(ticks.slice(0, 1), 86_400, true)).toEqual(['01-15']);
    expect(tickTexts([ticks[0]!, ticks[0]! + 30], 30, true)).toEqual(['22:00:00\n01-15', '22:00:30']);
  });
});

describe('texts of times', () => {
  it('are exact to the second in lists, to the millisecond on hover', () => {
    expect(clockText(NOON, true)).toBe('12:10:05');
    expect(momentText(NOON, true)).toBe('2026-01-15 12:10:05');
    expect(exactText(NOON, true)).toBe('2026-01-15 12:10:05.007 UTC');
  });

  it('in local time differ from UTC by the offset of the zone', () => {
    const local = Date.parse(`${momentText(NOON, false).replace(' ', 'T')}Z`);
    const offset = new Date(NOON).getTimezoneOffset() * 60_000;
    expect(local).toBe(Math.floor((NOON - offset) / 1_000) * 1_000);
  });

  it('of spans use the largest unit that fits', () => {
    expect([5, 1_500, 61_000, 7_200_000, 200_000_000].map(spanText)).toEqual(['5 ms', '1 s', '1 min', '2 h', '2 d']);
    expect([-500, 999, 2_000].map(agoText)).toEqual(['now', 'now', '2 s ago']);
  });
});

describe('names', () => {
  it('of anomalies and codes are words', () => {
    expect([anomalyName('wallet_burst'), anomalyName('new_kind')]).toEqual(['One wallet', 'New kind']);
    expect(wordsOf('venue_down')).toBe('Venue down');
    expect(wordsOf('differences.settlementSource')).toBe('Differences settlement source');
  });
});

describe('prices of legs', () => {
  const candle = (provider: string, ts: number, close: number) => ({ provider, marketId: 'm', ts, close, trades: ts });

  it('are one series per market, with a gap where a market has no trade', () => {
    const data = pricesOf([candle('a', 2, 0.5), candle('b', 1, 0.1), candle('b', 2, 0.2), candle('a', 3, 0.6)], 1);
    expect(data).toEqual({
      times: [1, 2, 3],
      series: [
        { label: 'a', values: [null, 0.5, 0.6] },
        { label: 'b', values: [0.1, 0.2, null] },
      ],
      columns: [
        { label: 'Trades, a', field: 'trades', digits: 0, values: [null, 2, 3] },
        { label: 'Trades, b', field: 'trades', digits: 0, values: [1, 2, null] },
      ],
    });
  });

  it('have a gap where no market has a trade', () => {
    const data = pricesOf([candle('a', 1, 0.1), candle('a', 2, 0.2), candle('a', 5, 0.5)], 1);
    expect([data.times, data.series[0]!.values, countGaps(data)]).toEqual([[1, 2, 3, 5], [0.1, 0.2, null, 0.5], 1]);
  });

  it('name two markets of one venue by their ids', () => {
    const candles = ['m1', 'm2'].map((marketId) => ({ provider: 'a', marketId, ts: 1, close: 0.5, trades: 1 }));
    expect(pricesOf(candles, 1).series.map(({ label }) => label)).toEqual(['a m1', 'a m2']);
  });

  it('count as gaps only where values stand on both sides', () => {
    const values = [null, 1, null, null, 2, null, 3, null];
    expect(countGaps({ times: values.map((_, index) => index), series: [{ label: 'a', values }] })).toBe(2);
  });
});

describe('units by day', () => {
  it('sum the SKUs of a day, and are 0 on days without use', () => {
    const usage = [
      { day: '2026-01-15', units: 2 },
      { day: '2026-01-15', units: 3 },
      { day: '2026-01-13', units: 1 },
    ];
    expect(unitsByDay(usage, 3, NOON).series[0]!.values).toEqual([1, 0, 5]);
  });
});

describe('attempts of a delivery', () => {
  it('are in one of two series each, by whether the answer was a success', () => {
    const attempt = (at: number, status: number | null) => ({ at: new Date(at).toISOString(), status, durationMs: at });
    const data = attemptsOf([attempt(1, null), attempt(2, 500), attempt(3, 204)]);
    expect(data).toEqual({
      times: [1, 2, 3],
      series: [
        { label: 'Delivered', values: [null, null, 3] },
        { label: 'Failed', values: [1, 2, null] },
      ],
    });
  });
});

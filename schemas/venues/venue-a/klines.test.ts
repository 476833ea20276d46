import { describe, expect, it } from 'vitest';
import { answeredSpan, klineRequest, readKlineRequest, readKlines, readListing, tradedKlines } from './klines.ts';

const MINUTE = 60_000;
const FIRST = 28_333_333 * MINUTE;

/** A row as the exchange writes it. */
const row = (minute: number, volume = '2.50') => {
  const open = FIRST + minute * MINUTE;
  return [open, '10.10', '12.00', '9.5', '11.0', volume, open + MINUTE - 1, '27.5', 7, '1.0', '11.0', '0'];
};
const klinesOf = (...minutes: number[]) =>
  readKlines(
    minutes.map((minute) => row(minute)),
    MINUTE,
  );

describe('the request of a recorded response', () => {
  it('is read as it was written', () => {
    const text = klineRequest('BTC', '1m', { from: FIRST, until: FIRST + 3 * MINUTE });
    expect(text).toBe(
      `GET /fapi/v1/klines?symbol=BTCUSDT&interval=1m&startTime=${FIRST}&endTime=${FIRST + 3 * MINUTE - 1}&limit=3`,
    );
    expect(readKlineRequest(text)).toEqual({
      coin: 'BTC',
      intervalMs: MINUTE,
      startTime: FIRST,
      endTime: FIRST + 3 * MINUTE - 1,
      limit: 3,
    });
  });

  it('may have no bounds and no limit', () => {
    const request = readKlineRequest('GET /fapi/v1/klines?symbol=ETHUSDT&interval=1h');
    expect(request).toEqual({ coin: 'ETH', intervalMs: 60 * MINUTE, startTime: null, endTime: null, limit: 500 });
  });

  it.each([
    [null],
    ['GET /fapi/v1/exchangeInfo'],
    ['{"type":"meta"}'],
    ['GET /fapi/v1/klines?symbol=XYZUSDT&interval=1m'],
    ['GET /fapi/v1/klines?symbol=BTCUSDT&interval=3m'],
  ])('is ignored if it is %s', (text) => {
    expect(readKlineRequest(text)).toBeNull();
  });

  it('is rejected with a bound that is no number', () => {
    expect(() => readKlineRequest('GET /fapi/v1/klines?symbol=BTCUSDT&interval=1m&startTime=x')).toThrow(
      'request.startTime',
    );
  });
});

describe('the rows of a response', () => {
  it('are read exactly', () => {
    expect(readKlines([row(0)], MINUTE)).toEqual([
      { openTime: FIRST, open: '10.1', high: '12', low: '9.5', close: '11', volume: '2.5', trades: 7 },
    ]);
  });

  it.each([
    ['another shape', { rows: [] }, 'response: expected an array'],
    ['a row that is none', [row(0), 7], 'response[1].row'],
    ['a price that is none', [row(0).with(2, 'x')], 'response[0].high'],
    ['a time within a bucket', [row(0).with(0, FIRST + 1)], 'response[0].openTime'],
    ['a row twice', [row(1), row(1)], 'response[1].openTime'],
  ])('are rejected with %s', (_, body, message) => {
    expect(() => readKlines(body, MINUTE)).toThrow(message);
  });
});

describe('the span that a response states', () => {
  const spanOf = (
    request: { startTime?: number; endTime?: number; limit?: number },
    klines: ReturnType<typeof klinesOf>,
    receivedAt = 99,
  ) => {
    const { startTime, endTime, limit = 500 } = request;
    const absolute = (at: number | undefined) => (at === undefined ? null : FIRST + at);
    const span = answeredSpan(
      { coin: 'BTC', intervalMs: MINUTE, startTime: absolute(startTime), endTime: absolute(endTime), limit },
      klines,
      FIRST + receivedAt * MINUTE,
    );
    return span && [(span.from - FIRST) / MINUTE, (span.until - FIRST) / MINUTE];
  };

  it.each([
    ['all of the request, though rows are missing', { startTime: 0, endTime: 10 * MINUTE - 1 }, [3, 4], 99, [0, 10]],
    ['the bucket that begins at its last millisecond', { startTime: 0, endTime: 10 * MINUTE }, [3], 99, [0, 11]],
    ['no bucket that begins before the request', { startTime: 1, endTime: 10 * MINUTE - 1 }, [3], 99, [1, 10]],
    ['no bucket that was in progress', { startTime: 0, endTime: 10 * MINUTE - 1 }, [0, 1, 2], 2.5, [0, 2]],
    ['only its rows, if they are as many as allowed', { startTime: 0, limit: 3 }, [0, 1, 4], 99, [0, 5]],
    ['what follows its first row, without a start', { endTime: 10 * MINUTE - 1 }, [5, 6], 99, [5, 10]],
    ['nothing, without a start and without rows', { endTime: 10 * MINUTE - 1 }, [], 99, null],
    ['nothing before a bucket was closed', { startTime: 0, endTime: MINUTE - 1 }, [0], 0.5, null],
  ])('is %s', (_, request, minutes, receivedAt, expected) => {
    expect(spanOf(request, klinesOf(...minutes), receivedAt)).toEqual(expected);
  });

  it('has a bar for each row with volume', () => {
    const klines = readKlines([row(0), row(1, '0.000'), row(2), row(3)], MINUTE);
    const bars = tradedKlines(klines, { from: FIRST, until: FIRST + 3 * MINUTE });
    expect(bars.map(({ openTime }) => (openTime - FIRST) / MINUTE)).toEqual([0, 2]);
  });
});

describe('the list of symbols', () => {
  const symbol = (name: string, contractType = 'PERPETUAL', onboardDate: unknown = 5) => ({
    symbol: name,
    contractType,
    onboardDate,
  });

  it('states since when perpetuals of known coins are listed', () => {
    const symbols = [symbol('BTCUSDT'), symbol('BTCUSDT_261225', 'CURRENT_QUARTER', 9), symbol('XYZUSDT')];
    expect(readListing({ symbols })).toEqual(new Map([['BTC', 5]]));
  });

  it('is rejected without a date', () => {
    expect(() => readListing({ symbols: [symbol('BTCUSDT', 'PERPETUAL', null)] })).toThrow('symbols[0].onboardDate');
  });
});

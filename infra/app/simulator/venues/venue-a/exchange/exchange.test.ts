import { describe, expect, it } from 'vitest';
import { parseDecimal } from '#schemas/domain/decimal';
import { type Kline, readKlines, readListing } from '#schemas/venues/venue-a/klines';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../world/time.ts';
import { createExchange, type ExchangeOptions } from './exchange.ts';
import type { ExchangeLimitOptions } from './exchange-limit.ts';
import { isMaintenance } from './klines.ts';

const NOW = Date.UTC(2026, 2, 3, 15, 20, 30);
const SEED = 7;

function open(options: Partial<ExchangeOptions> = {}) {
  let now = NOW;
  const exchange = createExchange({ seed: SEED, now: () => now, ...options });
  const get = (path: string, query: Record<string, string | number> = {}) => {
    const texts = Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]);
    const answer = exchange.answer({ method: 'GET', path, query: new URLSearchParams(texts), body: '' });
    return { ...answer, body: JSON.parse(answer.text) as unknown };
  };
  return {
    exchange,
    get,
    klines: (intervalMs: number, query: Record<string, string | number>): readonly Kline[] =>
      readKlines(get('/fapi/v1/klines', { symbol: 'BTCUSDT', limit: 1_500, ...query }).body, intervalMs),
    advance: (ms: number) => {
      now += ms;
    },
  };
}

/** The start of a maintenance window at least an hour long, in the year before. */
function maintenance(): number {
  const hour = HOUR_MS / MINUTE_MS;
  for (let at = Math.floor((NOW - 365 * DAY_MS) / MINUTE_MS) * MINUTE_MS; at < NOW; at += MINUTE_MS) {
    if (isMaintenance(SEED, at) && isMaintenance(SEED, at + hour * MINUTE_MS)) return at;
  }
  throw new Error('no maintenance in a year');
}

describe('klines of the simulated exchange', () => {
  it('are the same whenever and in whatever pieces they are requested', () => {
    const from = NOW - (NOW % HOUR_MS) - 700 * DAY_MS;
    const bounds = { interval: '1m', startTime: from, endTime: from + HOUR_MS - 1 };
    const whole = open().klines(MINUTE_MS, bounds);
    const pieces = [0, 20, 40].flatMap((minute) =>
      open({ now: () => NOW + DAY_MS }).klines(MINUTE_MS, {
        ...bounds,
        startTime: from + minute * MINUTE_MS,
        endTime: from + (minute + 20) * MINUTE_MS - 1,
      }),
    );
    expect(whole.length).toBeGreaterThan(50);
    expect(pieces).toEqual(whole);
    expect(open({ seed: 8 }).klines(MINUTE_MS, bounds)).not.toEqual(whole);
  });

  it('of an hour are joined from its minutes', () => {
    const from = NOW - (NOW % HOUR_MS) - 3 * HOUR_MS;
    const { klines } = open();
    const minutes = klines(MINUTE_MS, { interval: '1m', startTime: from, endTime: from + HOUR_MS - 1 }).filter(
      ({ trades }) => trades > 0,
    );
    const [hour] = klines(HOUR_MS, { interval: '1h', startTime: from, endTime: from });
    const prices = (field: 'high' | 'low') => minutes.map((minute) => Number(minute[field]));
    expect(hour).toMatchObject({ openTime: from, open: minutes[0]!.open, close: minutes.at(-1)!.close });
    expect([Number(hour!.high), Number(hour!.low)]).toEqual([Math.max(...prices('high')), Math.min(...prices('low'))]);
    expect(parseDecimal(hour!.volume)).toBe(minutes.reduce((sum, { volume }) => sum + parseDecimal(volume), 0n));
    expect(hour!.trades).toBe(minutes.reduce((sum, { trades }) => sum + trades, 0));
  });

  it('are flat without volume in some minutes, and missing while the exchange is closed for maintenance', () => {
    const from = maintenance();
    const { klines } = open();
    const around = klines(MINUTE_MS, {
      interval: '1m',
      startTime: from - 600 * MINUTE_MS,
      endTime: from + 5 * HOUR_MS,
    });
    expect(around.filter(({ openTime }) => openTime >= from && openTime <= from + HOUR_MS)).toEqual([]);
    const quiet = around.filter(({ volume }) => volume === '0');
    expect(quiet.length).toBeGreaterThan(3);
    for (const { open: first, high, low, close, trades } of quiet)
      expect([high, low, close, trades]).toEqual([first, first, first, 0]);
  });

  it('end with the one in progress, and are the newest without a start', () => {
    const { klines } = open();
    const newest = klines(MINUTE_MS, { interval: '1m', limit: 3 });
    const forming = NOW - (NOW % MINUTE_MS);
    expect(newest.at(-1)!.openTime).toBe(forming);
    expect(newest).toHaveLength(3);
    expect(klines(MINUTE_MS, { interval: '1m', startTime: forming - 10 * MINUTE_MS, limit: 4 })[0]!.openTime).toBe(
      forming - 10 * MINUTE_MS,
    );
  });

  it('begin when the coin was listed', () => {
    const { get, klines } = open();
    const onboardedAt = readListing(get('/fapi/v1/exchangeInfo').body).get('TAO')!;
    expect(onboardedAt).toBeGreaterThan(NOW - 730 * DAY_MS);
    const query = { symbol: 'TAOUSDT', interval: '1h', startTime: onboardedAt - 9 * DAY_MS };
    expect(klines(HOUR_MS, query)[0]!.openTime).toBe(onboardedAt - (onboardedAt % HOUR_MS));
  });

  it.each([
    ['a symbol that is unknown', { symbol: 'XYZUSDT', interval: '1m' }, -1121],
    ['a coin that is not listed', { symbol: 'ETHUSDT', interval: '1m' }, -1121],
    ['an interval that is unknown', { symbol: 'BTCUSDT', interval: '7m' }, -1120],
  ])('are refused for %s', (_, query, code) => {
    const { get } = open({ unlisted: ['ETH'] });
    expect(get('/fapi/v1/klines', query)).toMatchObject({ status: 400, body: { code } });
    expect(readListing(get('/fapi/v1/exchangeInfo').body).has('ETH')).toBe(false);
  });
});

describe('the limit of the simulated exchange', () => {
  const limit: ExchangeLimitOptions = { weight: 30, windowMs: 10_000 };
  const heavy = { symbol: 'BTCUSDT', interval: '1h', limit: 1_500, startTime: NOW - HOUR_MS };

  it('counts weight by the limit of a request, and states it', () => {
    const { get } = open();
    const used = [99, 100, 499, 500, 1_000, 1_001].map(
      (rows) => get('/fapi/v1/klines', { ...heavy, limit: rows }).headers!['x-mbx-used-weight-1m'],
    );
    expect(used).toEqual(['1', '3', '5', '10', '15', '25']);
  });

  it('answers 429 beyond the weight, until the oldest request leaves the window, and counts it', () => {
    const { get, advance, exchange } = open({ limit });
    const statuses = [1, 2, 3, 4].map(() => get('/fapi/v1/klines', heavy).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    advance(1_500);
    expect(get('/fapi/v1/klines', heavy)).toMatchObject({ status: 429, headers: { 'retry-after': '9' } });
    expect(exchange.limitExceeded()).toBe(2);
    advance(8_600);
    expect(get('/fapi/v1/klines', heavy).status).toBe(200);
  });

  it('bans with 418 who goes on regardless', () => {
    const { get, advance, exchange } = open({ limit });
    const statuses = Array.from({ length: 14 }, () => get('/fapi/v1/klines', heavy).status);
    expect(statuses.slice(3)).toEqual([...Array(10).fill(429), 418]);
    advance(10_100);
    expect(get('/fapi/v1/klines', heavy)).toMatchObject({ status: 418, headers: { 'retry-after': '10' } });
    expect(exchange.limitExceeded()).toBe(12);
    advance(10_000);
    expect(get('/fapi/v1/klines', heavy).status).toBe(200);
  });
});

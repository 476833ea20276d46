import { describe, expect, it } from 'vitest';
import { type KlineSeries, planRequests } from './plan-requests.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
/** The start of a day. */
const TODAY = 20_000 * DAY;

const series = (change: Partial<KlineSeries> = {}): KlineSeries => ({
  coin: 'BTC',
  interval: '1m',
  onboardedAt: 0,
  loaded: [],
  ...change,
});

/** Requests in minutes before today. */
const planned = (list: readonly KlineSeries[], days: number, now = TODAY + 10_000) =>
  planRequests(list, days, now).map(({ coin, interval, from, until }) => [
    `${coin} ${interval}`,
    (from - TODAY) / MINUTE,
    (until - TODAY) / MINUTE,
  ]);

describe('planned requests', () => {
  it('are the newest first, with 1,500 klines each and the rest in the last one', () => {
    expect(planned([series()], 3)).toEqual([
      ['BTC 1m', -1_500, 0],
      ['BTC 1m', -3_000, -1_500],
      ['BTC 1m', -4_320, -3_000],
    ]);
  });

  it('are the newest of all coins and lengths first', () => {
    expect(planned([series(), series({ interval: '15m' }), series({ coin: 'ETH' })], 2)).toEqual([
      ['BTC 1m', -1_500, 0],
      ['BTC 15m', -2_880, 0],
      ['ETH 1m', -1_500, 0],
      ['BTC 1m', -2_880, -1_500],
      ['ETH 1m', -2_880, -1_500],
    ]);
  });

  it('leave out what was loaded', () => {
    const loaded = [
      { from: TODAY - 1_000 * MINUTE, until: TODAY - 400 * MINUTE },
      { from: TODAY - 90 * DAY, until: TODAY - 1_400 * MINUTE },
    ].sort((a, b) => a.from - b.from);
    expect(planned([series({ loaded })], 30)).toEqual([
      ['BTC 1m', -400, 0],
      ['BTC 1m', -1_400, -1_000],
    ]);
    expect(planned([series({ loaded: [{ from: 0, until: TODAY }] })], 30)).toEqual([]);
  });

  it('begin when the exchange listed the coin', () => {
    expect(planned([series({ onboardedAt: TODAY - 90.5 * MINUTE })], 730)).toEqual([['BTC 1m', -91, 0]]);
    expect(planned([series({ onboardedAt: TODAY + DAY })], 730)).toEqual([]);
  });

  it('end with the last bucket that was closed ten seconds ago', () => {
    expect(planned([series()], 1, TODAY + 9_999)[0]).toEqual(['BTC 1m', -1_440, -1]);
  });
});

import { describe, expect, it } from 'vitest';
import { aCandleRange } from '#schemas/testing/records.fixture';
import type { DailyRow } from '#schemas/topics/daily';
import { DailyBars } from './daily-bars.ts';

const HOUR = 3_600_000;
/** Noon of 2026-03-20. */
const NOW = Date.UTC(2026, 2, 20, 12);
const dayOf = (day: number) => Date.UTC(2026, 2, day);

const aRow = (symbol: string, day: number, complete: boolean): DailyRow => ({
  tradeDate: new Date(dayOf(day)).toISOString().slice(0, 10),
  marketType: 'perp',
  symbol,
  receivedAt: NOW,
  open: '1',
  high: '1',
  low: '1',
  close: '1',
  volume: '1',
  amount: '1',
  marketCap: null,
  parts: 1,
  complete,
  source: 'candle_agg_5m',
});
const range = (coin: string, from: number, until: number, intervalMs = 300_000) =>
  aCandleRange({ coin, source: 'official_api', intervalMs, from, until });
const due = (bars: DailyBars, coins: string[], now = NOW, max = 1_000) =>
  bars.due(coins, now, max).map(({ coin, day }) => `${new Date(day).getUTCDate()} ${coin}`);

describe('the 5-minute bars that are requested', () => {
  it('are those of every whole day that the venue stores, the newest day first', () => {
    const days = due(new DailyBars(), ['BTC', 'xyz:TSLA']);
    expect(days.slice(0, 3)).toEqual(['19 BTC', '19 xyz:TSLA', '18 BTC']);
    // Its 5,000 bars begin on the 3rd.
    expect(days.slice(-2)).toEqual(['4 BTC', '4 xyz:TSLA']);
    expect(days).toHaveLength(32);
    expect(due(new DailyBars(), ['BTC', 'ETH'], NOW, 3)).toEqual(['19 BTC', '19 ETH', '18 BTC']);
  });

  it('are not those of a day with a complete row, until a gap of it is found', () => {
    const bars = new DailyBars();
    for (let day = 4; day < 20; day += 1) bars.recordRow(aRow('BTC', day, day !== 10));
    bars.recordRow({ ...aRow('BTC', 10, true), marketType: 'spot' });
    expect(due(bars, ['BTC'])).toEqual(['10 BTC']);
    bars.recordRow(aRow('BTC', 10, true));
    bars.recordRow(aRow('BTC', 12, false));
    expect(due(bars, ['BTC'])).toEqual(['12 BTC']);
  });

  it('are not those of a day that responses covered completely', () => {
    const bars = new DailyBars();
    bars.recordRange(range('BTC', dayOf(4), dayOf(19)));
    bars.recordRange(range('BTC', dayOf(19), dayOf(19) + 12 * HOUR));
    bars.recordRange(range('BTC', dayOf(19), dayOf(20), 60_000));
    expect(due(bars, ['BTC'])).toEqual(['19 BTC']);
    bars.recordRange(range('BTC', dayOf(19) + 12 * HOUR, dayOf(20)));
    expect(due(bars, ['BTC'])).toEqual([]);
  });

  it('are those of a covered day whose row is not complete: a trade may have been missed since', () => {
    const bars = new DailyBars();
    bars.recordRange(range('BTC', dayOf(4), dayOf(20)));
    for (let day = 4; day < 20; day += 1) bars.recordRow(aRow('BTC', day, true));
    expect(due(bars, ['BTC'])).toEqual([]);
    bars.recordRow(aRow('BTC', 12, false));
    expect(due(bars, ['BTC'])).toEqual(['12 BTC']);
    bars.answered({ coin: 'BTC', day: dayOf(12) }, NOW);
    expect(due(bars, ['BTC'])).toEqual([]);
    expect(due(bars, ['BTC'], NOW + 600_000)).toEqual(['12 BTC']);
    bars.recordRow(aRow('BTC', 12, true));
    expect(due(bars, ['BTC'], NOW + 600_000)).toEqual([]);
  });

  it('are those of yesterday from ten minutes after midnight on', () => {
    const midnight = dayOf(20);
    expect(due(new DailyBars(), ['BTC'], midnight + 600_000 - 1)[0]).toBe('18 BTC');
    expect(due(new DailyBars(), ['BTC'], midnight + 600_000)[0]).toBe('19 BTC');
  });

  it('are requested again a minute after a request without an answer, behind others that are due', () => {
    const bars = new DailyBars();
    const [first, second] = bars.due(['BTC', 'ETH'], NOW, 2);
    bars.failed(first!, NOW);
    expect(due(bars, ['BTC', 'ETH'], NOW, 2)).toEqual(['19 ETH', '18 BTC']);
    bars.answered(second!, NOW);
    expect(due(bars, ['BTC', 'ETH'], NOW + 60_000, 2)).toEqual(['19 BTC', '18 BTC']);
    // Failures do not count as answers, after which the waits grow.
    for (let nth = 0; nth < 9; nth += 1) bars.failed(first!, NOW);
    bars.answered(first!, NOW);
    expect(due(bars, ['BTC'], NOW + 600_000, 1)).toEqual(['19 BTC']);
  });

  it('are requested again after growing waits while no range of an answer arrives', () => {
    const bars = new DailyBars();
    bars.recordRange(range('BTC', dayOf(4), dayOf(19)));
    const waits: number[] = [];
    for (let now = NOW; waits.length < 3; now += 60_000) {
      const [one] = bars.due(['BTC'], now, 1);
      if (!one) continue;
      bars.answered(one, now);
      waits.push((now - NOW) / 60_000);
    }
    expect(waits).toEqual([0, 10, 30]);
  });
});

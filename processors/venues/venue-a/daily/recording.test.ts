/** Compares daily rows with figures computed directly from recorded frames and responses of the venue. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { canonicalDecimal } from '#schemas/domain/decimal';
import { candleRangeTopic, candleTopic } from '#schemas/topics/candles';
import { tradeTopics } from '#schemas/topics/normalised';
import { createCandlesStage } from '../../../candles/stage.ts';
import { driveStage } from '../../../testing/drive-stage.fixture.ts';
import { driveVenueA, playEnvelopes, recordedEnvelopes } from '../normalise/venue-a.fixture.ts';
import { DAY, driveDaily, figuresOf, MINUTE, type PlainTrade } from './daily.fixture.ts';

const SHARED = process.env.PARALLAX_SHARED ?? '../shared';
const RECORDING = join(SHARED, 'recordings/venue_a-eth-2025-12-10');
const MINUTES = join(SHARED, 'data/venue_a/info.candleSnapshot.ETH-1m-900.csv');

interface WireTrade {
  readonly px: string;
  readonly sz: string;
  readonly time: number;
}

it.skipIf(!existsSync(RECORDING))(
  `the row of the day of ${RECORDING} equals that of its trades (skipped without the recording)`,
  () => {
    const records = recordedEnvelopes(RECORDING);
    const trades = records
      .flatMap(({ envelope }): WireTrade[] => {
        const frame = JSON.parse(envelope.payload.toString()) as { channel?: string; data: WireTrade[] };
        return frame.channel === 'trades' ? frame.data : [];
      })
      .map(({ px, sz, time }): PlainTrade => ({ ts: time, price: canonicalDecimal(px), qty: canonicalDecimal(sz) }))
      .sort((a, b) => a.ts - b.ts);
    const day = Math.floor(trades[0]!.ts / DAY) * DAY;

    const venue = driveVenueA();
    playEnvelopes(venue.stage, records);
    const candles = driveStage(createCandlesStage());
    for (const trade of venue.stage.emittedTo(tradeTopics.venue_a))
      candles.feed(tradeTopics.venue_a, trade, { key: trade.instrument });
    const daily = driveDaily();
    for (const range of candles.emittedTo(candleRangeTopic)) daily.stage.feed(candleRangeTopic, range);
    for (const bar of candles.emittedTo(candleTopic)) daily.stage.feed(candleTopic, bar);
    daily.clock(day + DAY);

    const figures = figuresOf(day, (from, until) => trades.filter(({ ts }) => ts >= from && ts < until));
    expect(figures).toMatchObject({ parts: 5, volume: '11898.0937' });
    // It has 22 minutes of the day.
    expect(daily.rows()).toMatchObject([{ tradeDate: '2025-12-10', symbol: 'ETH', complete: false, ...figures }]);
  },
);

it.skipIf(!existsSync(MINUTES))(`the rows of ${MINUTES} equal those of its minutes (skipped without the file)`, () => {
  const minutes = readFileSync(MINUTES, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map(
      (line) =>
        line.split(',').map((text) => canonicalDecimal(text)) as [string, string, string, string, string, string],
    )
    .map(([T, open, high, low, close, volume]) => ({
      openTime: Number(T) + 1 - MINUTE,
      open,
      high,
      low,
      close,
      volume,
    }));
  const daily = driveDaily();
  const end = minutes.at(-1)!.openTime + MINUTE;
  for (const bar of minutes) daily.venueBar({ ...bar, coin: 'ETH', trades: 1, receivedAt: end });
  daily.venueRange({ coin: 'ETH', from: minutes[0]!.openTime, until: end, receivedAt: end });
  daily.clock(end + 2 * DAY);

  const rows = daily.rows();
  expect(rows.map(({ tradeDate, complete }) => [tradeDate, complete])).toEqual([
    ['2026-07-25', false],
    ['2026-07-26', false],
  ]);
  for (const row of rows) {
    // Buckets that are complete in the venue's minutes; without recorded trades the others have no bar.
    const whole = new Map<number, (typeof minutes)[number][]>();
    for (const bar of minutes) {
      const bucket = bar.openTime - (bar.openTime % (5 * MINUTE));
      if (new Date(bucket).toISOString().startsWith(row.tradeDate))
        whole.set(bucket, [...(whole.get(bucket) ?? []), bar]);
    }
    const buckets = [...whole.values()].filter(({ length }) => length === 5);
    const used = buckets.flat();
    expect(row).toMatchObject({ parts: buckets.length, open: used[0]!.open, close: used.at(-1)!.close });
    expect([Number(row.high), Number(row.low)]).toEqual([
      Math.max(...used.map(({ high }) => Number(high))),
      Math.min(...used.map(({ low }) => Number(low))),
    ]);
    const volumeOf = (bars: typeof minutes) => bars.reduce((sum, { volume }) => sum + Number(volume), 0);
    expect(Number(row.volume)).toBeCloseTo(volumeOf(used), 6);
    const amount = buckets.reduce((sum, bars) => sum + Number(bars.at(-1)!.close) * volumeOf(bars), 0);
    expect(Number(row.amount)).toBeCloseTo(amount, 2);
  }
});

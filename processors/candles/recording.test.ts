/** Compares bars of the recorded ETH trades, through the normaliser, with bars computed directly from the frames. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { canonicalDecimal, type Decimal, formatDecimal, parseDecimal, ZERO } from '#schemas/domain/decimal';
import { type Candle, candleTopic } from '#schemas/topics/candles';
import { tradeTopics } from '#schemas/topics/normalised';
import { driveStage } from '../testing/drive-stage.fixture.ts';
import { driveVenueA, playEnvelopes, recordedEnvelopes } from '../venues/venue-a/normalise/venue-a.fixture.ts';
import { createCandlesStage } from './stage.ts';

const RECORDING = join(process.env.PARALLAX_SHARED ?? '../shared', 'recordings/venue_a-eth-2025-12-10');
const isHere = existsSync(RECORDING);

interface WireTrade {
  readonly px: string;
  readonly sz: string;
  readonly time: number;
}
interface WireFrame {
  readonly channel?: string;
  readonly data: readonly WireTrade[];
}

/** Computes a bar from all trades of a minute, sorted by time in order of arrival. */
function barOf(openTime: number, trades: readonly WireTrade[]): Partial<Candle> {
  const sorted = trades.map((trade, at) => ({ ...trade, at })).sort((a, b) => a.time - b.time || a.at - b.at);
  const prices = sorted.map(({ px }) => px).sort((a, b) => Number(a) - Number(b));
  const volume = sorted.reduce((sum, { sz }) => sum + parseDecimal(sz), ZERO as bigint);
  return {
    openTime,
    open: canonicalDecimal(sorted[0]!.px),
    high: canonicalDecimal(prices.at(-1)!),
    low: canonicalDecimal(prices[0]!),
    close: canonicalDecimal(sorted.at(-1)!.px),
    volume: formatDecimal(volume as Decimal),
    trades: sorted.length,
  };
}

it.skipIf(!isHere)(`every bar of ${RECORDING} equals that of its trades (skipped without the recording)`, () => {
  const records = recordedEnvelopes(RECORDING);
  const minutes = new Map<number, WireTrade[]>();
  for (const { envelope } of records) {
    const frame = JSON.parse(envelope.payload.toString()) as WireFrame;
    for (const trade of frame.channel === 'trades' ? frame.data : []) {
      const openTime = trade.time - (trade.time % 60_000);
      minutes.set(openTime, [...(minutes.get(openTime) ?? []), trade]);
    }
  }
  const expected = [...minutes].sort(([a], [b]) => a - b).map(([openTime, trades]) => barOf(openTime, trades));

  const venue = driveVenueA();
  playEnvelopes(venue.stage, records);
  const candles = driveStage(createCandlesStage());
  for (const trade of venue.stage.emittedTo(tradeTopics.venue_a))
    candles.feed(tradeTopics.venue_a, trade, { key: trade.instrument });
  const emitted = candles.emittedTo(candleTopic);
  const bars = [...new Map(emitted.map((candle) => [candle.openTime, candle])).values()];

  expect(candles.deadLetters).toEqual([]);
  expect(emitted).toHaveLength(6_385);
  expect(bars).toHaveLength(22);
  expect(bars.sort((a, b) => a.openTime - b.openTime)).toMatchObject(expected);
  expect(expected).toHaveLength(22);
  expect(
    bars.every(({ coin, provider, source }) => `${coin} ${provider} ${source}` === 'ETH venue_a_perp venue_node'),
  ).toBe(true);
  const volume = bars.reduce((sum, bar) => sum + parseDecimal(bar.volume), ZERO as bigint) as Decimal;
  expect(formatDecimal(volume)).toBe('11898.0937');
});

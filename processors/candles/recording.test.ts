/**
 * Compares bars of all intervals of recorded trades, through the normaliser, the stage and the selection, with bars
 * computed directly from the trades.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textsOf } from '#schemas/domain/candles/bars';
import { selectBars, sourceBarOf } from '#schemas/domain/candles/select';
import { INTERVAL_NAMES, INTERVALS, sourceRulesOf } from '#schemas/domain/candles/sources';
import { canonicalDecimal, type Decimal, formatDecimal, parseDecimal, ZERO } from '#schemas/domain/decimal';
import {
  type Candle,
  type CandleRange,
  candleRangeTopic,
  candleTopic,
  venueCandleRangeTopics,
} from '#schemas/topics/candles';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import type { RawEnvelope } from '#schemas/topics/raw';
import { driveStage } from '../testing/drive-stage.fixture.ts';
import { driveVenueA, playEnvelopes, recordedEnvelopes } from '../venues/venue-a/normalise/venue-a.fixture.ts';
import { play, readRecording } from '../venues/venue-b/normalise/venue-b.fixture.ts';
import { createCandlesStage } from './stage.ts';

const RECORDINGS = join(process.env.PARALLAX_SHARED ?? '../shared', 'recordings');
const ETH = join(RECORDINGS, 'venue_a-eth-2025-12-10');
const CHAIN = join(RECORDINGS, 'venue_b-2026');

interface WireTrade {
  readonly coin: string;
  readonly px: string;
  readonly sz: string;
  readonly time: number;
}
interface WireFrame {
  readonly channel?: string;
  readonly data: readonly WireTrade[];
}

/** A trade by its figures alone. */
interface PlainTrade {
  readonly instrument: string;
  readonly price: string;
  readonly qty: string;
  readonly ts: number;
}

const frameOf = (envelope: RawEnvelope) => JSON.parse(envelope.payload.toString()) as WireFrame;
const tradesIn = (envelope: RawEnvelope) => {
  const frame = frameOf(envelope);
  return frame.channel === 'trades' ? frame.data : [];
};
const plain = ({ coin, px, sz, time }: WireTrade): PlainTrade => ({ instrument: coin, price: px, qty: sz, ts: time });

type Frames = readonly { readonly envelope: RawEnvelope }[];

interface RecordedTrades {
  readonly trades: readonly PlainTrade[];
  /** What the normaliser makes of them. */
  readonly emitted: readonly Trade[];
  /** Where the normaliser knows that trades are missing. */
  readonly gaps: readonly CandleRange[];
  readonly topic: (typeof tradeTopics)[keyof typeof tradeTopics];
}

function tradesOfFrames(records: Frames): RecordedTrades {
  const venue = driveVenueA();
  playEnvelopes(venue.stage, records);
  const trades = records.flatMap(({ envelope }) => tradesIn(envelope)).map(plain);
  const gaps = venue.stage.emittedTo(venueCandleRangeTopics.venue_a);
  return { trades, emitted: venue.stage.emittedTo(tradeTopics.venue_a), gaps, topic: tradeTopics.venue_a };
}

/** No outcomes were recorded: these are the trades of the coin, under the name and with prices of an outcome. */
function asOutcome(records: Frames): Frames {
  return records.flatMap(({ envelope }) => {
    const data = tradesIn(envelope).map((trade) => ({ ...trade, coin: '#70', px: `0.${trade.px.replace('.', '')}` }));
    const payload = Buffer.from(JSON.stringify({ channel: 'trades', data }));
    return data.length > 0 ? [{ envelope: { ...envelope, payload } }] : [];
  });
}

/** The trades of the recorded chain. `normalise/recordings.test.ts` compares them with the logs. */
function tradesOfChain(): RecordedTrades {
  const emitted = play(readRecording(CHAIN)).trades;
  return {
    trades: emitted.filter(({ status }) => status === 'pending'),
    emitted,
    gaps: [],
    topic: tradeTopics.venue_b,
  };
}

/** Computes the bar of all trades of a bucket, sorted by time in order of arrival. */
function barOf(trades: readonly PlainTrade[]) {
  const sorted = trades.map((trade, at) => ({ ...trade, at })).sort((a, b) => a.ts - b.ts || a.at - b.at);
  const prices = sorted.map(({ price }) => price).sort((a, b) => (parseDecimal(a) < parseDecimal(b) ? -1 : 1));
  return {
    open: canonicalDecimal(sorted[0]!.price),
    high: canonicalDecimal(prices.at(-1)!),
    low: canonicalDecimal(prices[0]!),
    close: canonicalDecimal(sorted.at(-1)!.price),
    volume: formatDecimal(sorted.reduce((sum, { qty }) => sum + parseDecimal(qty), ZERO as bigint) as Decimal),
    trades: sorted.length,
  };
}

function grouped<T>(values: readonly T[], keyOf: (value: T) => string | number): Map<string | number, T[]> {
  const groups = new Map<string | number, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}

const newest = <T>(records: readonly T[], keyOf: (record: T) => string | number): T[] => [
  ...new Map(records.map((record) => [keyOf(record), record])).values(),
];

/** Runs trades through the stage. Returns the newest bars and ranges by instrument. */
function runStage({ trades, emitted, gaps, topic }: RecordedTrades) {
  const stage = driveStage(createCandlesStage());
  for (const trade of emitted) stage.feed(topic, trade, { key: trade.instrument });
  expect(stage.deadLetters).toEqual([]);
  // A trade that is confirmed changes nothing.
  expect(stage.emittedTo(candleTopic)).toHaveLength(trades.length);
  const bars = grouped(stage.emittedTo(candleTopic), ({ coin }) => coin);
  const ranges = grouped([...stage.emittedTo(candleRangeTopic), ...gaps], ({ coin }) => coin);
  return (instrument: string) => ({
    bars: newest<Candle>(bars.get(instrument) ?? [], ({ openTime }) => openTime),
    ranges: newest<CandleRange>(ranges.get(instrument) ?? [], ({ id }) => id),
  });
}

describe.skipIf(!existsSync(ETH))(`bars of ${RECORDINGS} (skipped without the recordings)`, () => {
  const eth = () => recordedEnvelopes(ETH);
  it.each([
    ['a coin', 'venue_a_perp', 'venue_node', () => tradesOfFrames(eth()), 6_385],
    ['an outcome', 'venue_a_outcome', 'trades', () => tradesOfFrames(asOutcome(eth())), 6_385],
    ['tokens of a chain', 'venue_b', 'trades', tradesOfChain, 538],
  ] as const)('of %s equal those of its trades in every interval', (_, provider, source, read, count) => {
    const recorded = read();
    const { trades, emitted } = recorded;
    expect(trades).toHaveLength(count);
    expect(new Set(emitted.map((trade) => trade.provider))).toEqual(new Set([provider]));
    const knownOf = runStage(recorded);
    const start = Math.min(...trades.map(({ ts }) => ts));
    for (const [instrument, own] of grouped<PlainTrade>(trades, (trade) => trade.instrument))
      for (const interval of INTERVAL_NAMES) {
        const stepMs = INTERVALS[interval];
        const { bars, ranges } = knownOf(String(instrument));
        const buckets = grouped(own, ({ ts }) => Math.floor(ts / stepMs) * stepMs);
        if (interval === '1m') expect(bars).toHaveLength(buckets.size);
        const known = { rules: sourceRulesOf(provider), bars: bars.map(sourceBarOf), ranges };
        const { select } = selectBars({ ...known, stepMs, now: Number.POSITIVE_INFINITY });
        for (const [bucket, ofBucket] of buckets) {
          const selected = select(Number(bucket));
          const bar = { ...textsOf(selected.bar!), trades: selected.bar!.trades };
          // What happened before the first recorded trade of the coin, or of the chain, is unknown.
          const expected = { source: Number(bucket) > start ? source : null, bar: barOf(ofBucket) };
          expect({ source: selected.source, bar }, `${instrument} ${interval} ${bucket}`).toEqual(expected);
        }
      }
  });
});

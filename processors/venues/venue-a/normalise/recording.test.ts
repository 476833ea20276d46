/** Compares the outputs for a recorded hour of ETH and for recorded frames with figures computed from the files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Decimal, formatDecimal, multiply, parseDecimal, ZERO } from '#schemas/domain/decimal';
import { channelTopics } from '#schemas/topics/channels';
import {
  bookTopics,
  contextTopics,
  instrumentTopics,
  marketTopics,
  statusTopics,
  tradeTopics,
} from '#schemas/topics/normalised';
import { driveVenueA, playEnvelopes, recordedEnvelopes } from './venue-a.fixture.ts';

const SHARED = process.env.PARALLAX_SHARED ?? '../shared';
const RECORDING = join(SHARED, 'recordings/venue_a-eth-2025-12-10');
const FRAMES = join(SHARED, 'data/venue_a');

describe.skipIf(!existsSync(RECORDING))(`the recording in ${RECORDING} (skipped where it is absent)`, () => {
  const records = existsSync(RECORDING) ? recordedEnvelopes(RECORDING) : [];
  const played = () => {
    const { stage } = driveVenueA();
    playEnvelopes(stage, records);
    return stage;
  };
  const stage = played();

  it('causes no dead letter', () => {
    expect(stage.deadLetters).toEqual([]);
  });

  it('gives every trade once, with the totals in the description of the recording', () => {
    const trades = stage.emittedTo(tradeTopics.venue_a);
    let volume = ZERO;
    let notional = ZERO;
    for (const { price, qty } of trades) {
      volume = (volume + parseDecimal(qty)) as Decimal;
      notional = (notional + multiply(parseDecimal(price), parseDecimal(qty))) as Decimal;
    }
    expect(trades).toHaveLength(6_385);
    expect(trades.filter(({ side }) => side === 'buy')).toHaveLength(4_062);
    expect(formatDecimal(volume)).toBe('11898.0937');
    expect(formatDecimal(notional)).toBe('39836871.44197');
    expect(new Set(trades.map(({ id }) => id)).size).toBe(6_385);
    expect(trades.map(({ arrival }) => arrival)).toEqual(trades.map((_, at) => at + 1));
  });

  it('gives every book, and a frame for it on the channel of the coin', () => {
    const books = stage.emittedTo(bookTopics.venue_a);
    const frames = stage.emittedTo(channelTopics.venue_a);
    expect(books).toHaveLength(120);
    expect(books.every(({ bids, asks }) => bids.length === 20 && asks.length === 20)).toBe(true);
    expect(frames.map(({ channel, seq }) => `${channel} ${seq}`)).toEqual(
      books.map((_, at) => `svc:stream:venue_a_perp:ETH ${at + 1}`),
    );
    expect(stage.emittedTo(statusTopics.venue_a).map(({ state }) => state)).toEqual(['live']);
  });

  it('gives the perps, spot pairs and contexts of its answers', () => {
    const perps = stage.emittedTo(instrumentTopics.venue_a).filter(({ kind }) => kind === 'perp');
    expect(perps.map(({ coin, delisted }) => `${coin}${delisted ? ' delisted' : ''}`)).toEqual([
      'BTC',
      'ETH',
      'ATOM',
      'MATIC delisted',
      'DYDX',
      'xyz:XYZ100',
      'xyz:TSLA',
      'xyz:NVDA',
      'xyz:HOOD',
    ]);
    const newest = new Map(stage.emittedTo(contextTopics.venue_a).map((context) => [context.coin, context]));
    expect(newest.get('ETH')).toMatchObject({ midPrice: '3331.25', provider: 'venue_a_perp' });
    expect(newest.get('MATIC')).toMatchObject({ midPrice: null });
    expect(newest.get('PURR/USDC')).toMatchObject({ provider: 'venue_a_perp', oraclePrice: null });
    expect(stage.emittedTo(marketTopics.venue_a)).toEqual([]);
  });

  it('gives the same outputs a second time, and no new trades when every connection repeats its frames', () => {
    expect(played().outputs).toEqual(stage.outputs);
    const { stage: repeated } = driveVenueA();
    playEnvelopes(repeated, records);
    playEnvelopes(
      repeated,
      records.filter(({ envelope }) => envelope.stream === 'ws'),
    );
    expect(repeated.emittedTo(tradeTopics.venue_a)).toHaveLength(6_385);
  });
});

describe.skipIf(!existsSync(FRAMES))(`the frames in ${FRAMES} (skipped where they are absent)`, () => {
  const files = existsSync(FRAMES) ? readdirSync(FRAMES).filter((name) => name.startsWith('ws.')) : [];

  it('are all handled or ignored, without a dead letter', () => {
    const { stage, text } = driveVenueA();
    for (const file of files) {
      for (const line of readFileSync(join(FRAMES, file), 'utf8').trim().split('\n')) text(line);
    }
    expect(stage.deadLetters).toEqual([]);
    expect(stage.emittedTo(tradeTopics.venue_a)).toHaveLength(4);
    expect(stage.emittedTo(bookTopics.venue_a)).toMatchObject([{ instrument: 'MATIC', bids: [], asks: [] }]);
    expect(stage.emittedTo(contextTopics.venue_a).map(({ coin, midPrice }) => `${coin} ${midPrice}`)).toEqual([
      'BTC 64257.5',
      'BTC 80639.5',
      'MATIC null',
    ]);
  });
});

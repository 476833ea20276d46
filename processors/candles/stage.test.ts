import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Candle, candleRangeTopic, candleTopic } from '#schemas/topics/candles';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import { marketOf } from '#schemas/venues/venue-a/coin-market';
import { driveStage } from '../testing/drive-stage.fixture.ts';
import { createCandlesStage } from './stage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The start of an hour. */
const START = 527_777 * HOUR;
/** The start of its day. */
const DAY = START - (START % (24 * HOUR));

const aTrade = (fields: Partial<Trade>): Trade => ({
  id: '',
  provider: 'venue_b',
  marketId: null,
  instrument: '111',
  outcome: null,
  ts: START,
  receivedAt: START + 1_000,
  arrival: 1,
  side: 'buy',
  price: '0.5',
  qty: '1',
  usd: null,
  maker: null,
  taker: null,
  txHash: null,
  logIndex: null,
  tradeId: null,
  blockNumber: 10,
  blockHash: '0xb',
  orders: null,
  status: 'pending',
  ...fields,
});

interface TradeInput {
  /** Milliseconds after START. */
  readonly at: number;
  readonly price: string;
  readonly qty: string;
  readonly coin?: string;
  readonly provider?: string;
  /** Receive time in milliseconds after START; by default that of the trade. */
  readonly receivedAt?: number;
}

function drive() {
  const stage = driveStage(createCandlesStage());
  let arrival = 0;
  const send = ({ at, price, qty, coin = 'BTC', receivedAt = at, ...other }: TradeInput) => {
    arrival += 1;
    const trade: Trade = {
      id: `${coin}:${arrival}`,
      provider: other.provider ?? (coin.startsWith('#') ? 'venue_a_outcome' : 'venue_a_perp'),
      marketId: marketOf(coin),
      instrument: coin,
      outcome: null,
      ts: START + at,
      receivedAt: START + receivedAt,
      arrival,
      side: 'buy',
      price,
      qty,
      usd: null,
      maker: null,
      taker: null,
      txHash: null,
      logIndex: null,
      tradeId: String(arrival),
      blockNumber: null,
      blockHash: null,
      orders: null,
      status: 'confirmed',
    };
    stage.feed(tradeTopics.venue_a, trade, { key: coin });
  };
  return { stage, send, emitted: () => stage.emittedTo(candleTopic) };
}

/** Returns the newest record of every bar. */
function newest(candles: readonly Candle[]): Candle[] {
  const bars = new Map(candles.map((candle) => [`${candle.coin} ${candle.openTime}`, candle]));
  return [...bars.values()].sort((a, b) => a.openTime - b.openTime);
}
const ohlc = ({ open, high, low, close, volume, trades }: Candle) =>
  `${open} ${high} ${low} ${close} ${volume} ${trades}`;

describe('a bar', () => {
  it('is emitted with each of its trades, keyed by its coin', () => {
    const { stage, send, emitted } = drive();
    send({ at: 59_999, price: '10.5', qty: '2', receivedAt: 61_000 });
    send({ at: 30_000, price: '10.25', qty: '0.1', receivedAt: 62_000 });
    const bars = stage.outputs.filter(({ topic }) => topic === candleTopic.name);
    expect(bars.map(({ topic, key }) => `${topic} ${key}`)).toEqual(Array(2).fill('derived.candles BTC'));
    expect(emitted()[1]).toEqual({
      provider: 'venue_a_perp',
      coin: 'BTC',
      openTime: START,
      receivedAt: START + 62_000,
      open: '10.25',
      high: '10.5',
      low: '10.25',
      close: '10.5',
      volume: '2.1',
      trades: 2,
      source: 'venue_node',
      intervalMs: 60_000,
      openTs: null,
      openArrival: null,
      closeTs: null,
      closeArrival: null,
    });
  });

  it('starts with the minute: the first moment belongs to it, that of the next minute does not', () => {
    const { send, emitted } = drive();
    send({ at: 0, price: '1', qty: '1' });
    send({ at: MINUTE - 1, price: '2', qty: '1' });
    send({ at: MINUTE, price: '3', qty: '1' });
    expect(newest(emitted()).map((candle) => `${candle.openTime - START} ${ohlc(candle)}`)).toEqual([
      '0 1 2 1 2 2 2',
      '60000 3 3 3 3 1 1',
    ]);
  });

  it('opens and closes by venue time, and at equal times by arrival', () => {
    const { send, emitted } = drive();
    for (const [at, price] of [
      [500, '3'],
      [400, '2'],
      [500, '4'],
      [400, '9'],
      [450, '1'],
    ] as const) {
      send({ at, price, qty: '1', receivedAt: 1_000 });
    }
    expect(emitted().map(ohlc)).toEqual(['3 3 3 3 1 1', '2 3 2 3 2 2', '2 4 2 4 3 3', '2 9 2 4 4 4', '2 9 1 4 5 5']);
  });

  it('adds sizes exactly', () => {
    const { send, emitted } = drive();
    for (let at = 0; at < 10; at += 1) send({ at, price: '0.1', qty: '0.1' });
    send({ at: 11, price: '0.1', qty: '10000000000.000000000000000001' });
    expect(emitted().at(-1)!.volume).toBe('10000000001.000000000000000001');
  });

  it('of one coin is separate from that of another', () => {
    const { send, emitted } = drive();
    send({ at: 1, price: '1', qty: '1' });
    send({ at: 1, price: '0.4', qty: '5', coin: '#71' });
    expect(emitted().map(({ coin, provider, trades }) => `${coin} ${provider} ${trades}`)).toEqual([
      'BTC venue_a_perp 1',
      '#71 venue_a_outcome 1',
    ]);
  });

  it('has bars of its own where another provider has a coin of that name', () => {
    const { send, emitted } = drive();
    send({ at: 0, price: '5', qty: '1' });
    send({ at: 1, price: '9', qty: '1', provider: 'venue_x' });
    expect(emitted().map(({ provider, open, trades }) => `${provider} ${open} ${trades}`)).toEqual([
      'venue_a_perp 5 1',
      'venue_x 9 1',
    ]);
  });
});

describe('the range in which bars are complete', () => {
  it('begins after the first trade, also if an earlier one comes later', () => {
    const { stage, send } = drive();
    send({ at: 500, price: '1', qty: '1' });
    send({ at: 900, price: '1', qty: '1' });
    send({ at: 300, price: '1', qty: '1' });
    expect(stage.emittedTo(candleRangeTopic)).toEqual(
      [501, 301].map((from, nth) => ({
        provider: 'venue_a_perp',
        coin: 'BTC',
        source: 'venue_node',
        intervalMs: MINUTE,
        id: 'first 1',
        kind: 'complete',
        from: START + from,
        until: null,
        receivedAt: START + [500, 300][nth]!,
      })),
    );
  });

  it('is not stated of an outcome on no chain: its normaliser knows when it was subscribed', () => {
    const { stage, send, emitted } = drive();
    send({ at: 500, price: '0.4', qty: '1', coin: '#70' });
    send({ at: 31 * 24 * HOUR, price: '0.4', qty: '1', coin: '#80' });
    send({ at: 32 * 24 * HOUR, price: '0.4', qty: '1', coin: '#70' });
    expect(stage.emittedTo(candleRangeTopic)).toEqual([]);
    expect(emitted()[0]).toMatchObject({
      source: 'trades',
      openTs: START + 500,
      openArrival: 1,
      closeTs: START + 500,
      closeArrival: 1,
    });
  });

  it('is stated of a token by the first trade of its chain, if the token was traded on that day', () => {
    const { stage } = drive();
    const times = [500, HOUR, DAY + 24 * HOUR - 1 - START, DAY + 24 * HOUR - START];
    for (const [nth, at] of times.entries()) {
      const trade = aTrade({ id: `${nth}`, instrument: `${nth}`, arrival: nth, ts: START + at });
      stage.feed(tradeTopics.venue_b, trade, { key: trade.instrument });
    }
    const ranges = stage.emittedTo(candleRangeTopic).map(({ coin, kind, from, until }) => [coin, kind, from, until]);
    expect(ranges).toEqual(['0', '1', '2'].map((coin) => [coin, 'gap', DAY, START + 500]));
  });
});

describe('a trade of a chain', () => {
  const chain = () => {
    const { stage } = drive();
    const send = (arrival: number, price: string, fields: Partial<Trade> = {}) => {
      const trade = aTrade({ id: `venue_b:0x:${arrival}`, arrival, price, ts: START + arrival, ...fields });
      stage.feed(tradeTopics.venue_b, trade, { key: trade.instrument });
    };
    return { stage, send, bars: () => stage.emittedTo(candleTopic).map(ohlc) };
  };

  it('counts once, however often it is repeated', () => {
    const { send, bars } = chain();
    send(1, '0.4');
    send(1, '0.4', { status: 'confirmed' });
    send(1, '0.4', { marketId: '0xlater' });
    send(2, '0.5');
    expect(bars()).toEqual(['0.4 0.4 0.4 0.4 1 1', '0.4 0.5 0.4 0.5 2 2']);
  });

  it('is removed when it is reverted, also as the first, last, highest, lowest or only one', () => {
    const { send, bars, stage } = chain();
    send(1, '0.4');
    send(2, '0.9');
    send(3, '0.1');
    send(4, '0.6');
    for (const [arrival, price] of [
      [1, '0.4'],
      [4, '0.6'],
      [2, '0.9'],
      [3, '0.1'],
    ] as const)
      send(arrival, price, { status: 'reverted' });
    expect(bars().slice(4)).toEqual([
      '0.9 0.9 0.1 0.6 3 3',
      '0.9 0.9 0.1 0.1 2 2',
      '0.1 0.1 0.1 0.1 1 1',
      '0 0 0 0 0 0',
    ]);
    send(5, '0.4', { id: 'venue_b:0x:1' });
    expect(bars().at(-1)).toBe('0.4 0.4 0.4 0.4 1 1');
    expect(stage.deadLetters).toEqual([]);
  });

  it('is held until it is confirmed and 1,024 blocks deep', () => {
    const { send, bars, stage } = chain();
    send(1, '0.4', { blockNumber: 10 });
    send(2, '0.5', { blockNumber: 10 });
    send(2, '0.5', { blockNumber: 10, status: 'confirmed' });
    send(3, '0.6', { blockNumber: 10 + 1_024 });
    expect([...stage.state.removable.held.keys()]).toHaveLength(3);
    send(1, '0.4', { blockNumber: 10, status: 'confirmed' });
    send(4, '0.7', { blockNumber: 11 + 1_024 });
    expect([...stage.state.removable.held.keys()]).toEqual(['venue_b:0x:3', 'venue_b:0x:4']);
    stage.restart();
    send(3, '0.6', { blockNumber: 10 + 1_024, status: 'reverted' });
    expect(bars().at(-1)).toBe('0.4 0.7 0.4 0.7 3 3');
    send(1, '0.4', { blockNumber: 10, status: 'reverted' });
    expect(stage.deadLetters).toMatchObject([{ reason: 'late_reversal' }]);
  });

  it('is known as a repeat after its instrument was removed', () => {
    const { send, bars, stage } = chain();
    send(1, '0.4');
    const later = { receivedAt: START + 40 * 24 * HOUR, instrument: 'other' };
    send(2, '0.5', { ...later, ts: later.receivedAt });
    expect([...stage.state.coins.keys()]).toEqual(['venue_b|other']);
    send(1, '0.4', { receivedAt: later.receivedAt, marketId: '0xlater' });
    expect(bars()).toHaveLength(2);
    expect(stage.deadLetters).toEqual([]);
  });
});

describe('a late trade', () => {
  it('changes its bar while that is less than three hours behind the newest, and becomes a dead letter after that', () => {
    const { stage, send, emitted } = drive();
    send({ at: MINUTE, price: '5', qty: '1' });
    send({ at: 0, price: '1', qty: '1', receivedAt: MINUTE });
    send({ at: 3 * HOUR, price: '6', qty: '1' });
    send({ at: MINUTE, price: '7', qty: '1', receivedAt: 3 * HOUR });
    expect(ohlc(emitted().at(-1)!)).toBe('5 7 5 7 2 2');
    send({ at: MINUTE - 1, price: '8', qty: '1', receivedAt: 3 * HOUR });
    expect(stage.deadLetters).toMatchObject([{ topic: 'derived.trades.venue_a', reason: 'late_trade' }]);
    expect(emitted()).toHaveLength(4);
    // Its bar is not complete without it.
    const missed = START + MINUTE - 1;
    const gaps = stage.emittedTo(candleRangeTopic).filter(({ kind }) => kind === 'gap');
    expect(gaps).toMatchObject([
      { id: `missed ${Math.floor(missed / MINUTE)}`, source: 'venue_node', from: missed, until: missed },
    ]);
  });

  it('is too late also if its coin was quiet for three hours', () => {
    const { stage, send } = drive();
    send({ at: 0, price: '5', qty: '1' });
    send({ at: 3 * HOUR - 1, price: '1', qty: '1', coin: 'ETH' });
    send({ at: 3 * HOUR, price: '1', qty: '1', coin: 'ETH' });
    expect([...stage.state.coins.get('venue_a_perp|BTC')!.bars]).toHaveLength(0);
    send({ at: 30, price: '5', qty: '1', receivedAt: 3 * HOUR });
    expect(stage.deadLetters).toMatchObject([{ reason: 'late_trade' }]);
    send({ at: MINUTE, price: '5', qty: '1', receivedAt: 3 * HOUR });
    expect(stage.deadLetters).toHaveLength(1);
  });

  it('is not too late because of another trade with a time in the future', () => {
    const { stage, send } = drive();
    send({ at: 900 * HOUR, price: '5', qty: '1', receivedAt: 0 });
    send({ at: 0, price: '5', qty: '1' });
    expect(stage.deadLetters).toEqual([]);
  });
});

describe('the stage', () => {
  it('retains three hours of bars of a coin, and removes a coin that is quiet for thirty days', () => {
    const { stage, send } = drive();
    for (let minute = 0; minute < 400; minute += 1) send({ at: minute * MINUTE, price: '1', qty: '1' });
    expect(stage.state.coins.get('venue_a_perp|BTC')!.bars.size).toBe(180);
    send({ at: 400 * MINUTE + 30 * 24 * HOUR, price: '1', qty: '1', coin: 'ETH' });
    expect([...stage.state.coins.keys()]).toEqual(['venue_a_perp|ETH']);
  });

  it('emits the same final bars whatever the order in which trades of different times arrive', () => {
    const price = fc.integer({ min: 1, max: 999 }).map((cents) => `${cents / 100}`);
    const trades = fc.uniqueArray(
      fc.record({ at: fc.integer({ min: 0, max: 3 * HOUR - MINUTE - 1 }), price, qty: price }),
      {
        selector: ({ at }) => at,
        minLength: 1,
        maxLength: 60,
      },
    );
    const shuffled = trades.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
    );
    const barsOf = (list: readonly TradeInput[], restart: boolean) => {
      const { stage, send, emitted } = drive();
      for (const trade of list) {
        send({ ...trade, receivedAt: 3 * HOUR });
        if (restart) stage.restart();
      }
      expect(stage.deadLetters).toEqual([]);
      return newest(emitted());
    };
    fc.assert(
      fc.property(shuffled, fc.boolean(), ([list, other], restart) => {
        expect(barsOf(other, restart)).toEqual(barsOf(list, false));
      }),
    );
  });
});

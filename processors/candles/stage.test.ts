import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Candle, candleTopic } from '#schemas/topics/derived';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import { driveStage } from '../testing/drive-stage.fixture.ts';
import { createCandlesStage } from './stage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The start of an hour. */
const START = 527_777 * HOUR;

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
      marketId: coin,
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
    expect(stage.outputs.map(({ topic, key }) => `${topic} ${key}`)).toEqual(Array(2).fill('derived.candles BTC'));
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

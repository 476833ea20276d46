import { describe, expect, it } from 'vitest';
import type { StreamEvent } from '#stream-gateway/client/stream-client';
import { bookChannel, TRADES_SHOWN, type Trade, tradeChannels, tradeKeyOf, withBooks, withTrades } from './live.ts';

function event(payload: object, seq = 1): StreamEvent {
  const data = { type: 'raw', provider: 'venue_a_perp', marketId: 'BTC', payload, receivedAt: seq };
  return { type: 'event', channel: bookChannel('BTC'), epoch: 'e', seq, cursor: `e.${seq}`, data };
}

it('follows the channels of the coin of a market', () => {
  expect([bookChannel('BTC'), bookChannel('@107'), bookChannel('xyz:TSLA')]).toEqual([
    'svc:stream:venue_a_perp:BTC',
    'svc:stream:venue_a_perp:@107',
    'svc:stream:venue_a_perp:xyz:TSLA',
  ]);
  expect(tradeChannels('@107', 'pro')).toEqual(['svc:stream:trade:venue_a_perp']);
  expect(tradeChannels('xyz:TSLA', 'pro')).toEqual(['svc:stream:trade:venue_a_dex']);
  expect(tradeChannels(null, 'pro')).toEqual([]);
});

it('follows no channel of trades on the plan free, whose messages all trades of a venue would use up', () => {
  expect(tradeChannels('@107', 'free')).toEqual([]);
});

describe('the book of a market', () => {
  const read = { coin: 'BTC', bids: [{ price: 9, size: 1 }], asks: [{ price: 11, size: 1 }], ts: 10 };
  const frame = (time: number) => ({
    coin: 'BTC',
    time,
    levels: [
      [
        { px: '9.1', sz: '2.50', n: 1 },
        { px: '9.2', sz: '0', n: 0 },
        { px: '9.3', sz: '0.1', n: 3 },
      ],
      [{ px: '10.9', sz: '3', n: 2 }],
    ],
  });

  it('is the newest by the time of the venue, best first, without levels of size 0', () => {
    expect(withBooks(read, [event(frame(11), 7)])).toEqual({
      bids: [
        { price: 9.3, size: 0.1 },
        { price: 9.1, size: 2.5 },
      ],
      asks: [{ price: 10.9, size: 3 }],
      ts: 11,
      seq: 7,
    });
  });

  it('stays what REST returned while the channel has sent nothing later', () => {
    expect(withBooks(read, [event(frame(9)), event(frame(10))])).toBe(read);
    expect(withBooks(read, [event(frame(12), 8), event(frame(11), 7)])).toMatchObject({ ts: 12, seq: 8 });
  });
});

describe('the trades of a market', () => {
  const trade = (ts: number, price = 1): Trade => ({ price, size: 2, side: 'buy', ts, txHash: '0x1' });
  const sent = (ts: number, price = 1, seq = 1, marketId = 'BTC') =>
    event({ id: `t${seq}`, marketId, ts: new Date(ts).toISOString(), side: 'buy', price, qty: 2, txHash: '0x1' }, seq);
  const list = { trades: [trade(20), trade(10)] };

  it('are those of its coin', () => {
    expect([tradeKeyOf('BTC')(sent(1)), tradeKeyOf('BTC')(sent(1, 1, 2, 'ETH'))]).toEqual(['t1', null]);
  });

  it('have those that the channel sent at their place, with the number of their event', () => {
    const { trades } = withTrades(list, [sent(15, 3, 4), sent(30, 4, 5)]);
    expect(trades.map(({ ts, price, seq }) => [ts, price, seq])).toEqual([
      [30, 4, 5],
      [20, 1, undefined],
      [15, 3, 4],
      [10, 1, undefined],
    ]);
  });

  it('have each trade once, and equal trades as often as REST or the channel has them', () => {
    expect(withTrades(list, [sent(20), sent(10, 1, 2)])).toBe(list);
    const { trades } = withTrades(list, [sent(20), sent(20, 1, 2), sent(20, 1, 3)]);
    expect(trades.map(({ ts }) => ts)).toEqual([20, 20, 20, 10]);
  });

  it('are as many as are shown', () => {
    const many = Array.from({ length: 50 }, (_, index) => sent(100 + index, 1, index));
    const { trades } = withTrades(list, many);
    expect([trades.length, trades[0]!.ts]).toEqual([TRADES_SHOWN, 149]);
  });
});

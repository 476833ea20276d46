/** Tests of REST and WebSocket after a recording was played, for one process and for a cluster. */
import { expect, it } from 'vitest';
import { barsOf, readLines, recording, venueATrades, venueBTrades } from './recordings.ts';
import { eventually, get, type Service } from './service.ts';
import type { StreamClient } from './stream-client.ts';

/** A service that has played a recording to its end, with a stream client on it. */
export interface Played {
  readonly service: Pick<Service, 'rest' | 'ws'>;
  readonly stream: StreamClient;
}

interface TradePayload {
  readonly provider: string;
  readonly marketId: string | null;
  readonly tokenId?: string;
  readonly ts: string;
  readonly side: string;
  readonly price: number;
  readonly qty: number;
  readonly maker: string;
  readonly taker: string;
  readonly txHash: string;
  readonly logIndex: number | null;
  readonly tradeId: string | null;
}

const MINUTE = 60_000;
const INTERVALS = {
  '1m': MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '1h': 60 * MINUTE,
  '4h': 240 * MINUTE,
  '1d': 1_440 * MINUTE,
};

/** The bar of the first recorded trade may have earlier ones. */
const withSource = (bar: object, nth: number) => ({ ...bar, source: nth === 0 ? null : 'venue_node' });

/** venue_a-eth-2025-12-10. */
export function ethSuite(run: Played): void {
  const channel = 'svc:stream:trade:venue_a_perp';

  it('sends every trade once and in order on the stream', async () => {
    await run.stream.subscribe(channel, 'earliest');
    await eventually(
      async () => run.stream.events(channel).length,
      (count) => count >= 6_385,
    );
    const frames = run.stream.events(channel);
    expect(frames.map((frame) => frame.seq)).toEqual(frames.map((_, index) => index + 1));
    const payloads = frames.map((frame) => frame.data.payload as TradePayload);
    expect(payloads).toHaveLength(6_385);
    expect(payloads.filter((trade) => trade.side === 'buy')).toHaveLength(4_062);
    const recorded = venueATrades(recording('venue_a-eth-2025-12-10'));
    const plain = payloads.map(({ marketId, side, price, qty, ts, tradeId }) => ({
      marketId,
      side,
      price,
      qty,
      ts,
      tradeId,
    }));
    expect(plain).toEqual(
      recorded.map((trade) => ({
        marketId: trade.coin,
        side: trade.side === 'B' ? 'buy' : 'sell',
        price: Number(trade.px),
        qty: Number(trade.sz),
        ts: new Date(trade.time).toISOString(),
        tradeId: String(trade.tid),
      })),
    );
  });

  it('returns candles of every interval that equal an independent computation, of 22 minutes', async () => {
    const trades = venueATrades(recording('venue_a-eth-2025-12-10'));
    expect(barsOf(trades, MINUTE)).toHaveLength(22);
    // The service may still process what was played, and caches each answer for half a minute: no request is repeated.
    let limit = 5_000;
    for (const [interval, lengthMs] of Object.entries(INTERVALS)) {
      const expected = barsOf(trades, lengthMs).map(withSource);
      const path = `/v1/markets/venue_a/coins/ETH/candles?interval=${interval}`;
      const { candles } = await eventually(
        () => get<{ candles: unknown[] }>(run.service, `${path}&limit=${limit--}`),
        (answer) => JSON.stringify(answer.candles) === JSON.stringify(expected),
        25_000,
      );
      expect(candles, interval).toEqual(expected);
    }
  });

  it('returns the newest trades and the last book over REST', async () => {
    const { trades } = await get<{ trades: { price: number; side: string }[] }>(
      run.service,
      '/v1/markets/venue_a/coins/ETH/trades?limit=200',
    );
    const newest = venueATrades(recording('venue_a-eth-2025-12-10')).slice(-200).reverse();
    expect(trades.map((trade) => trade.price)).toEqual(newest.map((trade) => Number(trade.px)));
    const book = await get<{ bids: unknown[]; asks: unknown[] }>(
      run.service,
      '/v1/markets/venue_a/coins/ETH/orderbook',
    );
    const last = readLines(recording('venue_a-eth-2025-12-10'), 'ws.l2Book').at(-1)!.data as {
      data: { levels: { px: string; sz: string }[][] };
    };
    const levels = (side: number) =>
      last.data.levels[side]!.map(({ px, sz }) => ({ price: Number(px), size: Number(sz) }));
    expect(book.bids).toEqual(levels(0));
    expect(book.asks).toEqual(levels(1));
  });

  it('returns the listed coins', async () => {
    const { coins } = await get<{ coins: { name: string }[] }>(run.service, '/v1/markets/venue_a/coins');
    expect(coins.map((coin) => coin.name)).toContain('ETH');
    expect(coins.map((coin) => coin.name)).not.toContain('MATIC');
  });
}

/** venue_b-2026. */
export function chainSuite(run: Played): void {
  const channel = 'svc:stream:trade:venue_b';

  it('sends 538 trades with price, quantity, side, maker, taker and time', async () => {
    await run.stream.subscribe(channel, 'earliest');
    const expected = venueBTrades(recording('venue_b-2026'));
    expect(expected).toHaveLength(538);
    await eventually(
      async () => run.stream.events(channel).length,
      (count) => count >= 538,
    );
    const byId = (trades: readonly { txHash: string; logIndex: number | null }[]) =>
      [...trades].sort((a, b) => a.txHash.localeCompare(b.txHash) || a.logIndex! - b.logIndex!);
    const actual = byId(
      run.stream.events(channel).map((frame) => frame.data.payload as TradePayload),
    ) as TradePayload[];
    expect(actual).toHaveLength(538);
    for (const [index, trade] of (byId(expected) as typeof expected).entries()) {
      const { price, qty, ...exact } = trade;
      expect(actual[index]).toMatchObject(exact);
      expect(actual[index]!.price).toBeCloseTo(price, 12);
      expect(actual[index]!.qty).toBeCloseTo(qty, 9);
    }
  });

  it('numbers the raw frames of the recorded book and forwards them unchanged', async () => {
    const frames = readLines(recording('venue_b-2026'), 'clob_ws').map((line) => line.data as Record<string, unknown>);
    const token = String(frames[0]!.asset_id);
    const raw = `svc:stream:venue_b:${token}`;
    await run.stream.subscribe(raw, 'earliest');
    const named = frames.filter((frame) => JSON.stringify(frame).includes(token));
    await eventually(
      async () => run.stream.events(raw).length,
      (count) => count >= named.length,
    );
    expect(run.stream.events(raw).map((frame) => frame.data.payload)).toEqual(named);
  });
}

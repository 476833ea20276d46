import { describe, expect, it } from 'vitest';
import { FrameRate } from './frame-rate.ts';
import { LiveCandles } from './live-candles.ts';
import { renderScreen } from './screen.ts';
import type { WatchedTrade } from './watched.ts';

const trade = (time: string, price: number, qty: number, others: Partial<WatchedTrade> = {}): WatchedTrade => ({
  provider: 'venue_a_perp',
  marketId: 'BTC',
  ts: `2026-03-01T${time}.000Z`,
  side: 'buy',
  price,
  qty,
  ...others,
});
const ts = (time: string) => Date.parse(`2026-03-01T${time}.000Z`);
const bar = (time: string, price: number, volume: number) => ({
  ts: ts(time),
  open: price,
  high: price,
  low: price,
  close: price,
  volume,
});

describe('the frame rate', () => {
  it('is the number of arrivals per second, however long a refresh takes', () => {
    const rate = new FrameRate(0);
    for (let at = 0; at < 10_000; at += 20) rate.add(at);
    expect(rate.perSecond(10_000)).toBeCloseTo(50, 0);
    // A refresh that took 2.5 s instead of one.
    for (let at = 10_000; at < 12_500; at += 20) rate.add(at);
    expect(rate.perSecond(12_500)).toBeCloseTo(50, 0);
  });

  it('spreads a burst over the window and then drops it', () => {
    const rate = new FrameRate(0);
    for (let nth = 0; nth < 500; nth += 1) rate.add(6_000);
    expect(rate.perSecond(6_010)).toBe(100);
    expect(rate.perSecond(11_001)).toBe(0);
  });

  it('divides by the time since the start if that is shorter than the window', () => {
    const rate = new FrameRate(1_000);
    for (let nth = 0; nth < 20; nth += 1) rate.add(1_000 + nth * 100);
    expect(rate.perSecond(3_000)).toBe(10);
    expect(new FrameRate(0).perSecond(0)).toBe(0);
  });
});

describe('candles on the screen', () => {
  it('are built from the trades for every completely received minute, and taken from REST for earlier ones', () => {
    const candles = new LiveCandles('BTC');
    const rest = [bar('12:00:00', 1, 10), bar('12:01:00', 2, 20)];
    candles.add(trade('12:01:40', 3, 1));
    expect(candles.merge(rest)).toEqual({ bars: rest, isLive: false });
    candles.add(trade('12:02:01', 5, 0.1));
    candles.add(trade('12:02:10', 7, 0.2));
    candles.add(trade('12:02:20', 4, 0.3));
    candles.add(trade('12:02:20', 9, 1, { marketId: 'ETH' }));
    candles.add(trade('12:02:20', 9, 1, { provider: 'venue_b' }));
    const live = { ts: ts('12:02:00'), open: 5, high: 7, low: 4, close: 4, volume: 0.6 };
    expect(candles.merge(rest)).toEqual({ bars: [...rest, live], isLive: true });
    // A cached bar of REST for that minute does not replace it.
    expect(candles.merge([...rest, bar('12:02:00', 5, 0.1)])).toEqual({ bars: [...rest, live], isLive: true });
  });

  it('are those of REST again after trades were missed', () => {
    const candles = new LiveCandles('BTC');
    candles.add(trade('12:01:40', 3, 1));
    candles.add(trade('12:02:01', 5, 1));
    candles.reset();
    candles.add(trade('12:02:30', 5, 1));
    const rest = [bar('12:02:00', 2, 20)];
    expect(candles.merge(rest)).toEqual({ bars: rest, isLive: false });
    candles.add(trade('12:03:30', 5, 1));
    expect(candles.merge(rest).isLive).toBe(true);
  });

  it('are marked when they may be old', () => {
    const watched = {
      coin: 'BTC',
      events: [],
      markets: [],
      wallets: [],
      trades: [],
      names: new Map<string, string>(),
      problem: null,
      rate: 49.6,
    };
    const rest = [bar('12:00:00', 1, 10)];
    const lines = (isLive: boolean) =>
      renderScreen({ ...watched, candles: { bars: rest, isLive } }, 120, ts('12:00:00')).join('\n');
    expect(lines(true)).not.toContain('30 s');
    expect(lines(false)).toContain('BTC, one-minute candles (the newest may be 30 s old)');
    expect(lines(true)).toContain('50 frames/s');
  });
});

describe('the screen', () => {
  const watched = {
    coin: 'BTC',
    events: [{ name: 'Will it rain?', legs: [], netEdge: 0.0123, fetchedAt: '2026-03-01T11:59:57.000Z' }],
    candles: { bars: [], isLive: true },
    markets: [
      { name: 'HYPE-USDC', markPrice: 24.5, midPrice: 24.25, dayNotionalVolume: 1234.5 },
      { name: 'orb:GOLD', markPrice: 2700, midPrice: null, dayNotionalVolume: null },
    ],
    wallets: [
      { provider: 'venue_a', address: '0xa1', label: 'desk', navUsdc: 1234.5, asOf: '2026-03-01T11:59:48.000Z' },
      { provider: 'venue_b', address: '0xb1', label: '', navUsdc: null, asOf: null },
    ],
    trades: [trade('12:00:00', 0.5, 10, { provider: 'venue_b', marketId: '0xm' })],
    names: new Map([['venue_b 0xm', 'Will it rain?']]),
    rate: 1,
  };

  it('shows a pair and a contract, unknown figures as a dash', () => {
    const text = renderScreen({ ...watched, problem: null }, 120, ts('12:00:00')).join('\n');
    expect(text).toMatch(/^HYPE-USDC +mark 24.5 {2}mid 24.25 {2}volume of a day 123[45]$/m);
    expect(text).toMatch(/^orb:GOLD +mark 2700 {2}mid – {2}volume of a day –$/m);
    expect(renderScreen({ ...watched, markets: [], problem: null }, 120, ts('12:00:00')).join('\n')).not.toContain(
      'pair',
    );
  });

  it('shows what bound wallets are worth and how old that is, and nothing of them without one', () => {
    const screen = (wallets: (typeof watched)['wallets']) =>
      renderScreen({ ...watched, wallets, problem: null }, 120, ts('12:00:00')).join('\n');
    expect(screen(watched.wallets)).toMatch(/^desk +venue_a +NAV 1234\.50 USD, 12 s old$/m);
    expect(screen(watched.wallets)).toMatch(/^0xb1 +venue_b +NAV –$/m);
    expect(screen([])).not.toContain('wallets');
  });

  it('names the events of edges and trades', () => {
    const lines = renderScreen({ ...watched, problem: null }, 120, ts('12:00:00'));
    expect(lines[1]).toMatch(/^Will it rain\? .* net \+0\.0123$/);
    expect(lines.at(-1)).toContain('Will it rain?');
  });

  it('marks legs whose prices cannot be relied on, and states the age of prices that are not of this moment', () => {
    const leg = { provider: 'venue_b', yesBid: 0.4, yesAsk: 0.5, yesMid: 0.45 };
    const legs = ['live', 'stale', null].map((state) => ({ ...leg, state }));
    const events = [{ ...watched.events[0]!, legs }];
    const lines = (at: string) => renderScreen({ ...watched, events, problem: null }, 120, ts(at));
    expect(lines('12:00:02').slice(1, 3)).toEqual([
      expect.stringMatching(/0\.500 {2}venue_b .* 0\.500 \(stale\) {2}venue_b .* 0\.500 \(unknown\)/),
      '',
    ]);
    expect(lines('12:00:03')[1]).toBe('These prices are 6 s old: 2026-03-01T11:59:57.000Z');
  });

  it('states first why the service cannot be read', () => {
    expect(renderScreen({ ...watched, problem: 'connection refused' }, 120, ts('12:00:00'))[0]).toBe(
      'connection refused',
    );
  });
});

import { describe, expect, it } from 'vitest';
import {
  noTrading,
  QUIET_MS,
  stateOfTrading,
  stateOfVenue,
  tradesPerSecond,
  WINDOW_MS,
  withTrades,
} from './trading.ts';

const START = 1_000_000;

describe('the trades of a venue', () => {
  it('are counted over the last ten seconds', () => {
    let trading = noTrading(START);
    for (let second = 1; second <= 30; second += 1) trading = withTrades(trading, START + second * 1_000, 4, START);
    expect(tradesPerSecond(trading, START + 30_000)).toBe(4);
    expect(trading.batches.length).toBeLessThanOrEqual(WINDOW_MS / 1_000);
    expect(tradesPerSecond(trading, START + 35_000)).toBe(2);
    expect(tradesPerSecond(trading, START + 60_000)).toBe(0);
  });

  it('are counted over the time since the beginning at first, and are unknown before a second of it', () => {
    const trading = withTrades(noTrading(START), START + 500, 6, START);
    expect(tradesPerSecond(trading, START + 999)).toBeNull();
    expect(tradesPerSecond(trading, START + 2_000)).toBe(3);
  });

  it('have the delay of the newest one', () => {
    expect(noTrading(START).delayMs).toBeNull();
    expect(withTrades(noTrading(START), START + 70, 1, START + 30).delayMs).toBe(40);
  });

  it('are quiet after a minute without one, which is unknown before', () => {
    const trading = noTrading(START);
    expect(stateOfTrading(trading, START + 1_000)).toBeNull();
    expect(stateOfTrading(trading, START + QUIET_MS)).toBe('quiet');
    const traded = withTrades(trading, START + 1_000, 1, START);
    expect(stateOfTrading(traded, START + QUIET_MS)).toBe('trading');
    expect(stateOfTrading(traded, START + 1_000 + QUIET_MS)).toBe('quiet');
  });

  it('do not hide that no price of the venue is live', () => {
    expect([stateOfVenue('trading', []), stateOfVenue('quiet', ['venue_down', 'live'])]).toEqual(['trading', 'quiet']);
    expect(stateOfVenue('quiet', ['venue_down', 'venue_down'])).toBe('venue_down');
    expect(stateOfVenue(null, ['venue_down', 'stale'])).toBe('stale');
  });
});

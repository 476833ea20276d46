import { describe, expect, it } from 'vitest';
import type { ServedTrade } from '../queries/read-trades.ts';
import { joinTrades } from './join-trades.ts';

const trade = (id: string, ts: number): ServedTrade => ({
  id,
  ts,
  price: '1',
  qty: '2',
  side: 'buy',
  txHash: null,
});
const joined = (read: readonly ServedTrade[], recorded: readonly ServedTrade[], limit = 10) =>
  joinTrades(read, recorded, limit).map(({ id }) => id);

describe('trades that were read, joined with recorded ones', () => {
  it('are sorted by time, newest first, each once', () => {
    const [a, b, c, d] = [trade('a', 4), trade('b', 3), trade('c', 2), trade('d', 1)];
    expect(joined([a, c], [b, c, d])).toEqual(['a', 'b', 'c', 'd']);
    expect(joined([], [b, d])).toEqual(['b', 'd']);
    expect(joined([a], [])).toEqual(['a']);
  });

  it('have the order of the venue among those of one time, also where the recorded ones are fewer', () => {
    const [a, b, c] = [trade('a', 5), trade('b', 5), trade('c', 5)];
    expect(joined([a, b, c], [b, c])).toEqual(['a', 'b', 'c']);
    expect(joined([a, b, c], [a, b], 2)).toEqual(['a', 'b']);
  });

  it('are at most as many as requested', () => {
    const all = Array.from({ length: 8 }, (_, nth) => trade(String(nth), 100 - nth));
    expect(joined(all.slice(0, 4), all.slice(2), 5)).toEqual(['0', '1', '2', '3', '4']);
  });
});

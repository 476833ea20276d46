import { describe, expect, it } from 'vitest';
import type { Emit } from '#infra/stages/stage';
import type { Trade } from '#schemas/topics/normalised';
import type { Topic } from '#schemas/topics/topic';
import { atOnceOf } from '../../shared/drop-oldest.ts';
import { createToldTrades, placeTrades, retellStatus, tellTrade, UNPLACED_TRADES_MAX } from './told-trades.ts';

const trade = (id: string, instrument: string) => ({
  id,
  provider: 'venue_b',
  marketId: null,
  instrument,
  outcome: null,
  ts: 1,
  receivedAt: 1,
  side: 'buy' as const,
  price: '0.5',
  qty: '1',
  usd: '0.5',
  maker: null,
  taker: null,
  txHash: null,
  logIndex: null,
  tradeId: null,
  blockNumber: 1,
  blockHash: 'block',
});

function collector(): { told: Trade[]; emit: Emit } {
  const told: Trade[] = [];
  const emit = Object.assign(<T>(_: Topic<T>, __: string, value: T) => void told.push(value as Trade), {
    remove: () => {},
    dead: () => {},
  });
  return { told, emit };
}

describe('trades of unknown tokens', () => {
  it('are remembered up to a number, and beyond it the oldest are forgotten', () => {
    const trades = createToldTrades();
    const { told, emit } = collector();
    for (let at = 0; at < UNPLACED_TRADES_MAX; at += 1) tellTrade(trades, trade(`t${at}`, at === 0 ? 'a' : 'b'), emit);
    expect([trades.unplaced.size, trades.unplacedIds.has('a')]).toEqual([UNPLACED_TRADES_MAX, true]);
    tellTrade(trades, trade('new', 'b'), emit);
    const left = UNPLACED_TRADES_MAX + 1 - atOnceOf(UNPLACED_TRADES_MAX);
    expect([trades.unplaced.size, trades.unplacedIds.has('a')]).toEqual([left, false]);
    told.length = 0;
    placeTrades(trades, 'a', 'market', 'Yes', emit);
    expect(told).toEqual([]);
    placeTrades(trades, 'b', 'market', 'Yes', emit);
    expect(told).toHaveLength(left);
    expect(told.at(-1)!.id).toBe('new');
    expect([trades.unplaced.size, trades.unplacedIds.size]).toEqual([0, 0]);
  });

  it('told again after a reversal count as the newest', () => {
    const trades = createToldTrades();
    const { emit } = collector();
    tellTrade(trades, trade('first', 'a'), emit);
    tellTrade(trades, trade('second', 'a'), emit);
    retellStatus(trades, 'first', 'block', 'reverted', emit);
    tellTrade(trades, trade('first', 'a'), emit);
    expect([...trades.unplaced.keys()]).toEqual(['second', 'first']);
  });
});

describe('what was told', () => {
  it('stays as it was when the trade is told again', () => {
    const trades = createToldTrades();
    const { told, emit } = collector();
    tellTrade(trades, trade('first', 'a'), emit);
    const [pending] = structuredClone(told);
    retellStatus(trades, 'first', 'block', 'confirmed', emit);
    placeTrades(trades, 'a', 'market', 'Yes', emit);
    expect(told).toEqual([
      pending,
      { ...pending, status: 'confirmed' },
      { ...pending, status: 'confirmed', marketId: 'market', outcome: 'Yes' },
    ]);
  });

  it('is not told again for a block that the trade is not in', () => {
    const trades = createToldTrades();
    const { told, emit } = collector();
    tellTrade(trades, trade('first', 'a'), emit);
    retellStatus(trades, 'first', 'another block', 'confirmed', emit);
    retellStatus(trades, 'unknown', 'block', 'confirmed', emit);
    expect(told).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import type { Emit } from '#infra/stages/stage';
import type { Trade } from '#schemas/topics/normalised';
import type { Topic } from '#schemas/topics/topic';
import { defaultBatchSize } from '../../../shared/drop-oldest.ts';
import {
  assignTradeMarket,
  createEmittedTrades,
  emitTrade,
  UNASSIGNED_TRADES_MAX,
  updateTradeStatus,
} from './emitted-trades.ts';

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
  orders: null,
});

function collector(): { emitted: Trade[]; emit: Emit } {
  const emitted: Trade[] = [];
  const emit = Object.assign(<T>(_: Topic<T>, __: string, value: T) => void emitted.push(value as Trade), {
    remove: () => {},
    deadLetter: () => {},
  });
  return { emitted, emit };
}

describe('trades of unknown tokens', () => {
  it('are stored up to a bound, beyond which the oldest are removed', () => {
    const trades = createEmittedTrades();
    const { emitted, emit } = collector();
    for (let at = 0; at < UNASSIGNED_TRADES_MAX; at += 1)
      emitTrade(trades, trade(`t${at}`, at === 0 ? 'a' : 'b'), emit);
    expect([trades.unassigned.size, trades.unassignedIds.has('a')]).toEqual([UNASSIGNED_TRADES_MAX, true]);
    emitTrade(trades, trade('new', 'b'), emit);
    const left = UNASSIGNED_TRADES_MAX + 1 - defaultBatchSize(UNASSIGNED_TRADES_MAX);
    expect([trades.unassigned.size, trades.unassignedIds.has('a')]).toEqual([left, false]);
    emitted.length = 0;
    assignTradeMarket(trades, 'a', 'market', 'Yes', emit);
    expect(emitted).toEqual([]);
    assignTradeMarket(trades, 'b', 'market', 'Yes', emit);
    expect(emitted).toHaveLength(left);
    expect(emitted.at(-1)!.id).toBe('new');
    expect([trades.unassigned.size, trades.unassignedIds.size]).toEqual([0, 0]);
  });

  it('count as the newest when they are emitted again after a reversal', () => {
    const trades = createEmittedTrades();
    const { emit } = collector();
    emitTrade(trades, trade('first', 'a'), emit);
    emitTrade(trades, trade('second', 'a'), emit);
    updateTradeStatus(trades, 'first', 'block', 'reverted', emit);
    emitTrade(trades, trade('first', 'a'), emit);
    expect([...trades.unassigned.keys()]).toEqual(['second', 'first']);
  });
});

describe('an emitted trade', () => {
  it('does not change when the trade is emitted again', () => {
    const trades = createEmittedTrades();
    const { emitted, emit } = collector();
    emitTrade(trades, trade('first', 'a'), emit);
    const [pending] = structuredClone(emitted);
    updateTradeStatus(trades, 'first', 'block', 'confirmed', emit);
    assignTradeMarket(trades, 'a', 'market', 'Yes', emit);
    expect(emitted).toEqual([
      pending,
      { ...pending, status: 'confirmed' },
      { ...pending, status: 'confirmed', marketId: 'market', outcome: 'Yes' },
    ]);
  });

  it('is not emitted again for a block that does not contain it', () => {
    const trades = createEmittedTrades();
    const { emitted, emit } = collector();
    emitTrade(trades, trade('first', 'a'), emit);
    updateTradeStatus(trades, 'first', 'another block', 'confirmed', emit);
    updateTradeStatus(trades, 'unknown', 'block', 'confirmed', emit);
    expect(emitted).toHaveLength(1);
  });
});

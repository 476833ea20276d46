/** Trades: the `trades` channel and answers of `recentTrades` (venue page, sections 3.1 and 7). */

import type { Emit } from '#infra/stages/stage';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import { marketOf, providerOf } from './coins.ts';
import { outcomeNameOf } from './outcome-state.ts';
import { isSeen, remember } from './seen-trades.ts';
import type { VenueAState } from './state.ts';
import type { TradeMessage } from './trade-message.ts';

/** Emits every trade that was not emitted before, in the given order. */
export function emitTrades(state: VenueAState, trades: readonly TradeMessage[], receivedAt: number, emit: Emit): void {
  for (const trade of trades) {
    const { coin, time } = trade;
    const key = `${time}:${trade.tid}`;
    if (isSeen(state.seenTrades, coin, time, key)) continue;
    remember(state.seenTrades, coin, time, key, receivedAt);
    state.arrival += 1;
    emit(tradeTopics.venue_a, coin, toRecord(state, trade, key, receivedAt));
  }
}

function toRecord(state: VenueAState, trade: TradeMessage, key: string, receivedAt: number): Trade {
  const { coin, side, buyer, seller } = trade;
  const provider = providerOf(coin);
  return {
    id: `${provider}:${coin}:${key}`,
    provider,
    marketId: marketOf(coin),
    instrument: coin,
    outcome: outcomeNameOf(state.outcomes, coin),
    ts: trade.time,
    receivedAt,
    arrival: state.arrival,
    side,
    price: trade.price,
    qty: trade.qty,
    // The venue states no amount; readers that need it multiply price and quantity.
    usd: null,
    maker: side === 'buy' ? seller : buyer,
    taker: side === 'buy' ? buyer : seller,
    txHash: trade.hash,
    logIndex: null,
    tradeId: String(trade.tid),
    blockNumber: null,
    blockHash: null,
    status: 'confirmed',
  };
}

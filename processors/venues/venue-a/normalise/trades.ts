/** Trades: the `trades` channel and answers of `recentTrades` (venue page, sections 3.1 and 7). */

import type { Emit } from '#infra/stages/stage';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import { marketOf, providerOf } from '#schemas/venues/venue-a/coin-market';
import { type TradeMessage, tradeFields, tradeKey } from '#schemas/venues/venue-a/trades';
import { outcomeNameOf } from './outcome-state.ts';
import { isSeen, remember } from './seen-trades.ts';
import type { VenueAState } from './state.ts';

/** Emits every trade that was not emitted before, in the given order. */
export function emitTrades(state: VenueAState, trades: readonly TradeMessage[], receivedAt: number, emit: Emit): void {
  for (const trade of trades) {
    const { coin, time } = trade;
    const key = tradeKey(trade);
    if (isSeen(state.seenTrades, coin, time, key)) continue;
    remember(state.seenTrades, coin, time, key, receivedAt);
    state.arrival += 1;
    emit(tradeTopics.venue_a, coin, toRecord(state, trade, receivedAt));
  }
}

function toRecord(state: VenueAState, trade: TradeMessage, receivedAt: number): Trade {
  const { coin } = trade;
  return {
    ...tradeFields(providerOf(coin), trade),
    marketId: marketOf(coin),
    outcome: outcomeNameOf(state.outcomes, coin),
    receivedAt,
    arrival: state.arrival,
  };
}

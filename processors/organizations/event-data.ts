/** `data` of the events that this stage produces: decimals as the pipeline has them, never as numbers. */
import type { Venue } from '#schemas/domain/providers';
import { isoTime } from '#schemas/http/scalars';
import type { Arbitrage, Spread } from '#schemas/topics/derived';
import type { Trade } from '#schemas/topics/normalised';
import type { ArbitrageDetected, SpreadChanged, TradeExecuted } from '#schemas/webhooks/event-types';
import type { Party } from './bound-wallets.ts';

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** The other side of a fill may be whatever the venue says. */
function addressOrNull(text: string | null): string | null {
  return text !== null && ADDRESS.test(text) ? text : null;
}

export function tradeExecuted(trade: Trade, broker: Venue, wallets: readonly Party[]): TradeExecuted {
  const { id, provider, marketId, instrument, ts, side, price, qty, usd, maker, taker, txHash, logIndex, status } =
    trade;
  return {
    broker,
    provider,
    tradeId: id,
    marketId,
    instrument,
    ts: isoTime(ts),
    side,
    price,
    qty,
    usd,
    maker: addressOrNull(maker),
    taker: addressOrNull(taker),
    txHash,
    logIndex,
    status,
    wallets: [...wallets],
  };
}

export function spreadChanged({ universalId, legs, receivedAt }: Spread): SpreadChanged {
  return {
    universalId,
    legs: legs.map(({ provider, marketId, yesBid, yesAsk, yesMid }) => ({
      provider,
      marketId,
      yesBid,
      yesAsk,
      yesMid,
    })),
    at: isoTime(receivedAt),
  };
}

export function arbitrageDetected(record: Arbitrage): ArbitrageDetected {
  const { universalId, kind, size, grossEdge, netEdge, quoteAgeMs, receivedAt } = record;
  const { firstProvider, firstMarketId, firstPrice, firstFee } = record;
  const { secondProvider, secondMarketId, secondPrice, secondFee } = record;
  return {
    universalId,
    kind,
    size,
    grossEdge,
    netEdge,
    quoteAgeMs,
    first: { provider: firstProvider, marketId: firstMarketId, price: firstPrice, fee: firstFee },
    second: { provider: secondProvider, marketId: secondMarketId, price: secondPrice, fee: secondFee },
    at: isoTime(receivedAt),
  };
}

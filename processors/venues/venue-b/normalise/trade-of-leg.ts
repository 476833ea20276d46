/** Builds the trade of a maker leg, from the taker's view. */
import { formatDecimal } from '#schemas/domain/decimal';
import type { Trade } from '#schemas/topics/normalised';
import type { CatalogState } from './catalog-state.ts';
import { termsOfLeg } from './leg-terms.ts';
import type { OrderFilled } from './order-filled.ts';

/** A maker leg in its block. */
export interface LegInBlock {
  readonly transactionHash: string;
  readonly logIndex: number;
  readonly order: OrderFilled;
  /** Number of the block. */
  readonly number: number;
  readonly hash: string;
  /** Block time, unix ms. */
  readonly timestampMs: number;
  readonly receivedAt: number;
}

/** Returns the id of the trade of a maker leg. */
export function tradeId(transactionHash: string, logIndex: number): string {
  return `venue_b:${transactionHash}:${logIndex}`;
}

/** Builds the trade without the fields that emitting adds. Its market is null while the catalog lacks the token. */
export function tradeOfLeg(
  leg: LegInBlock,
  takerLeg: OrderFilled | null,
  catalog: Pick<CatalogState, 'tokens'>,
): Omit<Trade, 'arrival' | 'status'> {
  const { order } = leg;
  const terms = termsOfLeg(order, takerLeg);
  const market = catalog.tokens.get(terms.instrument);
  return {
    id: tradeId(leg.transactionHash, leg.logIndex),
    provider: 'venue_b',
    marketId: market?.marketId ?? null,
    instrument: terms.instrument,
    outcome: market?.outcome ?? null,
    ts: leg.timestampMs,
    receivedAt: leg.receivedAt,
    side: terms.side,
    price: formatDecimal(terms.price),
    qty: formatDecimal(terms.qty),
    usd: formatDecimal(terms.usd),
    maker: order.maker,
    taker: order.taker,
    txHash: leg.transactionHash,
    logIndex: leg.logIndex,
    tradeId: null,
    blockNumber: leg.number,
    blockHash: leg.hash,
  };
}

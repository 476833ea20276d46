/** A maker leg as the trade that it is, from the taker's view. */
import { formatDecimal } from '#schemas/domain/decimal';
import type { Trade } from '#schemas/topics/normalised';
import type { CatalogState } from './catalog-state.ts';
import { termsOfLeg } from './leg-terms.ts';
import type { OrderFilled } from './order-filled.ts';

/** A maker leg in its block. */
export interface PlacedLeg {
  readonly transactionHash: string;
  readonly logIndex: number;
  readonly order: OrderFilled;
  /** Of its block. */
  readonly number: number;
  readonly hash: string;
  /** Block time, unix ms. */
  readonly timestampMs: number;
  readonly receivedAt: number;
}

/** The id of the trade that a maker leg is. */
export function tradeId(transactionHash: string, logIndex: number): string {
  return `venue_b:${transactionHash}:${logIndex}`;
}

/** The trade, without what telling it adds; its market is null while the catalog does not know the token. */
export function tradeOfLeg(
  leg: PlacedLeg,
  takerLeg: OrderFilled | null,
  catalog: Pick<CatalogState, 'tokens'>,
): Omit<Trade, 'arrival' | 'status'> {
  const { order } = leg;
  const terms = termsOfLeg(order, takerLeg);
  const place = catalog.tokens.get(terms.instrument);
  return {
    id: tradeId(leg.transactionHash, leg.logIndex),
    provider: 'venue_b',
    marketId: place?.marketId ?? null,
    instrument: terms.instrument,
    outcome: place?.outcome ?? null,
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

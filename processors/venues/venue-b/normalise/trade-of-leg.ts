/** Builds the trade of a maker leg, from the taker's view. */
import { type Decimal, divide, formatDecimal } from '#schemas/domain/decimal';
import type { Trade, TradeOrders } from '#schemas/topics/normalised';
import type { CatalogState } from './catalog-state.ts';
import { termsOfLeg } from './leg-terms.ts';
import type { OrderFilled } from './order-filled.ts';
import type { TakerLeg } from './taker-leg.ts';

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
  takerLeg: TakerLeg | null,
  catalog: Pick<CatalogState, 'tokens'>,
): Omit<Trade, 'arrival' | 'status'> {
  const { order } = leg;
  const terms = termsOfLeg(order, takerLeg?.order ?? null);
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
    orders: ordersOf(order, takerLeg),
  };
}

function ordersOf(maker: OrderFilled, takerLeg: TakerLeg | null): TradeOrders {
  return {
    makerInstrument: maker.token,
    makerSide: maker.side,
    makerPrice: formatDecimal(divide(maker.usd, maker.qty)),
    makerBuilder: maker.builder,
    makerFee: textOf(maker.fee),
    takerBuilder: takerLeg?.order.builder ?? null,
    takerFee: textOf(takerLeg?.fee ?? null),
  };
}

function textOf(amount: Decimal | null): string | null {
  return amount === null ? null : formatDecimal(amount);
}

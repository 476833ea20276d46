/** The fills of a trade of venue_b, one for each of its accounts, as that account sees it. */
import { type Decimal, parseDecimal, ZERO } from '#schemas/domain/decimal';
import type { Fill, TradeSide } from '#schemas/domain/ledger/events';
import { fillIdOf } from '#schemas/domain/ledger/fill-id';
import type { Trade } from '#schemas/topics/normalised';

export interface AccountFill {
  readonly address: string;
  readonly fill: Fill;
}

/** Returns the fills of the accounts of a trade that `isFollowed` accepts. Throws for a trade that lacks its orders. */
export function fillsOfTrade(
  trade: Trade,
  receivedAt: number,
  isFollowed: (address: string) => boolean,
): AccountFill[] {
  const { maker, taker } = trade;
  const isMaker = maker !== null && isFollowed(maker);
  const isTaker = taker !== null && isFollowed(taker);
  if (!isMaker && !isTaker) return [];
  const { orders, blockNumber, logIndex } = trade;
  if (!orders || blockNumber === null || logIndex === null) throw new Error(`${trade.id} does not state its orders`);
  const place = { at: blockNumber, index: logIndex, ts: trade.ts, receivedAt };
  const fills: AccountFill[] = [];
  const sideOf = (role: TradeSide['role']): TradeSide => ({ role, instrument: trade.instrument });
  if (isTaker) {
    const terms = { instrument: trade.instrument, side: trade.side, price: trade.price };
    const { takerBuilder: builder, takerFee: fee } = orders;
    fills.push({
      address: taker,
      fill: fillOf(trade.id, place, { ...terms, qty: trade.qty, builder, fee, trade: sideOf('taker') }),
    });
  }
  if (isMaker) {
    const { makerInstrument: instrument, makerSide: side, makerPrice: price } = orders;
    const { makerBuilder: builder, makerFee: fee } = orders;
    const id = fillIdOf(trade.id, 'maker', maker === taker);
    const terms = { instrument, side, price, qty: trade.qty, builder, fee, trade: sideOf('maker') };
    fills.push({ address: maker, fill: fillOf(id, place, terms) });
  }
  return fills;
}

interface Terms {
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly qty: string;
  readonly builder: string | null;
  readonly fee: string | null;
  readonly trade: TradeSide;
}

function fillOf(id: string, place: Pick<Fill, 'at' | 'index' | 'ts' | 'receivedAt'>, terms: Terms): Fill {
  const { instrument, side, price, builder, fee, trade } = terms;
  const qty = parseDecimal(terms.qty);
  return {
    kind: 'fill',
    id,
    ...place,
    instrument,
    builder,
    qty: (side === 'buy' ? qty : -qty) as Decimal,
    feeQty: ZERO,
    price: parseDecimal(price),
    fee: fee === null ? null : parseDecimal(fee),
    startPosition: null,
    trade,
    tie: 0,
  };
}

/** The fills of a trade of venue_b, one for each of its accounts, as that account sees it. */
import { type Decimal, parseDecimal, ZERO } from '#schemas/domain/decimal';
import type { Fill, TradeSide } from '#schemas/domain/ledger/events';
import { fillIdOf } from '#schemas/domain/ledger/fill-id';
import type { Trade } from '#schemas/topics/normalised';

export interface AccountFill {
  /** Name of the account. */
  readonly account: string;
  readonly fill: Fill;
}

/**
 * Returns the fills of the accounts of a trade that are followed. Throws for a trade that lacks its orders.
 * @param nameOf returns the name of the account of an address; null if it is not followed.
 */
export function fillsOfTrade(
  trade: Trade,
  receivedAt: number,
  nameOf: (address: string) => string | null,
): AccountFill[] {
  const { maker, taker, orders } = trade;
  const takerAccount = taker === null ? null : nameOf(taker);
  const makerAccount = maker === null ? null : nameOf(maker);
  if (takerAccount === null && makerAccount === null) return [];
  if (!orders) throw new Error(`${trade.id} does not state its orders`);
  const fills: AccountFill[] = [];
  if (takerAccount !== null) {
    const { instrument, side, price } = trade;
    const { takerBuilder: builder, takerFee: fee } = orders;
    const terms: Terms = { role: 'taker', instrument, side, price, builder, fee };
    fills.push({ account: takerAccount, fill: fillOf(trade.id, trade, receivedAt, terms) });
  }
  if (makerAccount !== null) {
    const { makerInstrument: instrument, makerSide: side, makerPrice: price } = orders;
    const { makerBuilder: builder, makerFee: fee } = orders;
    const terms: Terms = { role: 'maker', instrument, side, price, builder, fee };
    const id = fillIdOf(trade.id, 'maker', maker === taker);
    fills.push({ account: makerAccount, fill: fillOf(id, trade, receivedAt, terms) });
  }
  return fills;
}

/** What a trade states about one of its sides. */
interface Terms {
  readonly role: TradeSide['role'];
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly builder: string | null;
  readonly fee: string | null;
}

/** Every ledger retains these: each field is stated by name, since a spread object takes more memory and time. */
function fillOf(id: string, trade: Trade, receivedAt: number, terms: Terms): Fill {
  const { blockNumber, logIndex, ts } = trade;
  if (blockNumber === null || logIndex === null) throw new Error(`${trade.id} does not state its orders`);
  const { role, instrument, side, price, builder, fee } = terms;
  const qty = parseDecimal(trade.qty);
  return {
    kind: 'fill',
    id,
    at: blockNumber,
    index: logIndex,
    ts,
    receivedAt,
    instrument,
    builder,
    qty: (side === 'buy' ? qty : -qty) as Decimal,
    feeQty: ZERO,
    price: parseDecimal(price),
    fee: fee === null ? null : parseDecimal(fee),
    startPosition: null,
    trade: { role, instrument: trade.instrument },
    tie: 0,
  };
}

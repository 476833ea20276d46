/** Orders of accounts: those that were filled, and one that rests for each position. */
import { orderId, type Position, priceText, sizeText } from './account-position.ts';
import type { AccountFill } from './fill-text.ts';

const ORDER = {
  triggerCondition: 'N/A',
  isTrigger: false,
  triggerPx: '0.0',
  children: [],
  isPositionTpsl: false,
  cloid: null,
} as const;

export function filledOrder(fill: AccountFill) {
  const { coin, side, px, sz, oid, time } = fill;
  const reduceOnly = fill.startPosition !== '0.0';
  const order = { coin, side, limitPx: px, sz: '0.0', oid, timestamp: time, origSz: sz };
  return { ...order, ...ORDER, reduceOnly, orderType: 'Market', tif: 'FrontendMarket' };
}

export function takeProfit(position: Position) {
  const { ladder, size, openPx, openedAt } = position;
  const sz = sizeText(ladder, size);
  const limitPx = priceText(ladder, openPx * (size > 0 ? 1.03 : 0.97));
  const side = size > 0 ? 'A' : 'B';
  const order = { coin: ladder.coin, side, limitPx, sz, oid: orderId(position, 2), timestamp: openedAt, origSz: sz };
  return { ...order, ...ORDER, reduceOnly: true, orderType: 'Limit', tif: 'Gtc' };
}

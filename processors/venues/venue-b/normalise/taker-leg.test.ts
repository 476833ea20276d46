import { expect, it } from 'vitest';
import { type Decimal, formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import type { OrderFilled } from './order-filled.ts';
import { takerLegsOf } from './taker-leg.ts';

const order = (qty: string, fee: Decimal | null = null): OrderFilled => ({
  exchange: '0xe',
  maker: '0xa',
  taker: '0xb',
  side: 'buy',
  token: '1',
  usd: parseDecimal('1'),
  qty: parseDecimal(qty),
  fee,
  builder: null,
});
const feesOf = (fee: string | null, ...quantities: string[]) =>
  takerLegsOf(
    order('9', fee === null ? null : parseDecimal(fee)),
    quantities.map((qty) => order(qty)),
  ).map((leg) => leg.fee && formatDecimal(leg.fee));

it('the fee of a taker is split over its maker legs by quantity, and the last has the remainder', () => {
  expect(feesOf('0.3', '1', '2')).toEqual(['0.1', '0.2']);
  expect(feesOf('0.00001', '1', '1', '1')).toEqual([
    '0.000003333333333333',
    '0.000003333333333333',
    '0.000003333333333334',
  ]);
  expect(feesOf('0.5', '7')).toEqual(['0.5']);
});

it('an unknown fee is unknown for each leg', () => {
  expect(feesOf(null, '1', '2')).toEqual([null, null]);
});

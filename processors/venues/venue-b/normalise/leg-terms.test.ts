import { describe, expect, it } from 'vitest';
import { formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { termsOfLeg } from './leg-terms.ts';
import type { OrderFilled } from './order-filled.ts';

function order(side: 'buy' | 'sell', token: string, usd: string, qty: string): OrderFilled {
  const accounts = { exchange: '0xe', maker: '0xa', taker: '0xb' };
  return { ...accounts, side, token, usd: parseDecimal(usd), qty: parseDecimal(qty), fee: null, builder: null };
}
const shown = (leg: OrderFilled, taker: OrderFilled | null) => {
  const { instrument, side, price, qty, usd } = termsOfLeg(leg, taker);
  return [instrument, side, formatDecimal(price), formatDecimal(qty), formatDecimal(usd)];
};

describe('a maker leg as a trade', () => {
  it('has its own token and price and the opposite side if the taker traded the same token', () => {
    expect(shown(order('buy', 'yes', '3.1', '5'), order('sell', 'yes', '3.1', '5'))).toEqual([
      'yes',
      'sell',
      '0.62',
      '5',
      '3.1',
    ]);
    expect(shown(order('sell', 'yes', '3.1', '5'), order('buy', 'yes', '9', '15'))).toEqual([
      'yes',
      'buy',
      '0.62',
      '5',
      '3.1',
    ]);
  });

  it('is a purchase of the other token for the rest of the dollar if both buy', () => {
    const terms = shown(order('buy', 'no', '2.85', '5'), order('buy', 'yes', '2.15', '5'));
    expect(terms).toEqual(['yes', 'buy', '0.43', '5', '2.15']);
  });

  it('is a sale of the other token for the rest of the dollar if both sell', () => {
    const terms = shown(order('sell', 'no', '2.85', '5'), order('sell', 'yes', '2.15', '5'));
    expect(terms).toEqual(['yes', 'sell', '0.43', '5', '2.15']);
  });

  it('has the price 1 − p with the rounded p, and the exact USD', () => {
    // 1/3 rounds down to 0.333333333333333333; a quotient of the USD itself, 2/3, would round up.
    expect(shown(order('buy', 'no', '1', '3'), order('buy', 'yes', '2', '3'))).toEqual([
      'yes',
      'buy',
      '0.666666666666666667',
      '3',
      '2',
    ]);
    expect(shown(order('buy', 'no', '2', '3'), order('buy', 'yes', '1', '3'))).toEqual([
      'yes',
      'buy',
      '0.333333333333333333',
      '3',
      '1',
    ]);
  });

  it('has the opposite side of its own order if no taker leg is known', () => {
    expect(shown(order('buy', 'yes', '1', '4'), null)).toEqual(['yes', 'sell', '0.25', '4', '1']);
    expect(shown(order('sell', 'yes', '1', '4'), null)).toEqual(['yes', 'buy', '0.25', '4', '1']);
  });

  it('has its own terms if the taker leg cannot be of its match', () => {
    expect(shown(order('buy', 'yes', '1', '4'), order('sell', 'other', '1', '4'))[0]).toBe('yes');
    expect(shown(order('buy', 'yes', '1', '4'), order('buy', 'yes', '1', '4'))[1]).toBe('sell');
  });
});

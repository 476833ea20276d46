import { describe, expect, it } from 'vitest';
import { fillId, readFill, readFills } from './fills.ts';

const USER = `0x${'A1'.repeat(20)}`;
/** A fill in the venue's form. */
const wire = (fields: Record<string, unknown> = {}) => ({
  coin: 'BTC',
  px: '70100.0',
  sz: '0.250',
  side: 'B',
  time: 1_900_000_000_000,
  startPosition: '-1.0',
  dir: 'Open Long',
  closedPnl: '0.0',
  hash: '0x1',
  oid: 7,
  crossed: true,
  fee: '-0.5',
  tid: 11,
  feeToken: 'USDC',
  twapId: null,
  ...fields,
});
const read = (fields: Record<string, unknown> = {}, base: string | null = null) => readFill(wire(fields), () => base);

describe('a fill', () => {
  it('has exact decimals, the provider of its coin, and null for what the venue leaves out', () => {
    expect(read()).toEqual({
      provider: 'venue_a_perp',
      coin: 'BTC',
      time: 1_900_000_000_000,
      side: 'buy',
      role: 'taker',
      price: '70100',
      qty: '0.25',
      startPosition: '-1',
      dir: 'Open Long',
      closedPnl: '0',
      hash: '0x1',
      tid: 11,
      oid: 7,
      fee: '-0.5',
      feeToken: 'USDC',
      isFeeTraded: false,
      builderFee: null,
      builder: null,
      liquidatedUser: null,
      liquidationMark: null,
      liquidationMethod: null,
    });
    expect(read({ coin: 'abc:GOLD' }).provider).toBe('venue_a_dex');
    expect(read({ coin: '#10' }).provider).toBe('venue_a_outcome');
  });

  it('states its liquidation and its builder in lower case', () => {
    const liquidation = { liquidatedUser: USER, markPx: '70000.0', method: 'market' };
    expect(read({ liquidation, builder: USER, builderFee: '0.1' })).toMatchObject({
      liquidatedUser: USER.toLowerCase(),
      liquidationMark: '70000',
      liquidationMethod: 'market',
      builder: USER.toLowerCase(),
      builderFee: '0.1',
    });
  });

  it('is identified by coin, time and trade; without an id of the trade by its order and position', () => {
    expect(fillId(read())).toBe('venue_a_perp:BTC:1900000000000:11');
    expect(fillId(read({ tid: undefined, feeToken: undefined }))).toBe('venue_a_perp:BTC:1900000000000:7@-1');
  });

  it.each([
    ['a purchase of a pair', { coin: '@107', feeToken: 'HYPE' }, 'HYPE', true],
    ['a purchase of a pair that is not listed', { coin: '@107', feeToken: 'HYPE' }, null, true],
    ['a purchase of a stable token', { coin: '@230', feeToken: 'USDH' }, 'USDH', true],
    ['a purchase of a named pair', { coin: 'PURR/USDC', feeToken: 'PURR' }, null, true],
    ['a rebate in the quote', { coin: '@107', feeToken: 'USDC' }, 'HYPE', false],
    ['a sale of a pair', { coin: '@107', side: 'A', feeToken: 'USDC' }, 'HYPE', false],
    ['a sale of a pair in its token', { coin: '@107', side: 'A', feeToken: 'HYPE' }, 'HYPE', true],
    ['a sale of a stable token in it', { coin: '@230', side: 'A', feeToken: 'USDH' }, 'USDH', false],
    ['a contract in USDH', { coin: 'abc:GOLD', feeToken: 'USDH' }, null, false],
    ['a purchase of an outcome in its token', { coin: '#10', feeToken: '+10' }, null, true],
    ['a purchase of an outcome in the quote', { coin: '#10', feeToken: 'USDH' }, null, false],
  ])('pays the fee in the traded token or not: %s', (_, fields, base, isFeeTraded) => {
    expect(read(fields, base).isFeeTraded).toBe(isFeeTraded);
  });
});

describe('a response', () => {
  it('of slices of TWAP orders has wrapped fills', () => {
    const both = [
      readFills('orders', [wire()], () => null),
      readFills('twaps', [{ fill: wire(), twapId: 3 }], () => null),
    ];
    expect(both[1]).toEqual(both[0]);
  });

  it.each([
    ['answer[1].px', [wire(), wire({ px: 'NaN' })]],
    ['answer[0].closedPnl', [wire({ closedPnl: undefined })]],
    ['answer[0].startPosition', [wire({ startPosition: null })]],
    ['answer[0].side', [wire({ side: 'C' })]],
    ['answer[0].liquidation.markPx', [wire({ liquidation: { method: 'market' } })]],
    ['answer', { fills: [] }],
  ])('is refused as a whole, naming %s', (field, body) => {
    expect(() => readFills('orders', body, () => null)).toThrow(field);
  });
});

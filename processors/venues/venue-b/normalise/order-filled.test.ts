import fc from 'fast-check';
import { decodeEventLog, encodeAbiParameters, type Hex, pad, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { formatDecimal } from '#schemas/domain/decimal';
import { CHAIN_EVENTS, EXCHANGES } from '#schemas/venues/venue-b/contracts';
import { MalformedError } from '../../shared/malformed.ts';
import type { ChainLog } from './chain-message.ts';
import { decodeOrderFilled, isOrderFilled } from './order-filled.ts';

const EXCHANGE = EXCHANGES.ctfV2;
const { orderFilledV1: ORDER_FILLED_V1, orderFilledV2: ORDER_FILLED_V2 } = CHAIN_EVENTS;
const MAKER = '0x00000000000000000000000000000000000a11ce';
const TAKER = '0x0000000000000000000000000000000000000b0b';
const ABI_V1 = parseAbi([
  'event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint256 makerAssetId, uint256 takerAssetId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee)',
]);
const ABI_V2 = parseAbi([
  'event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint8 side, uint256 tokenId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee, bytes32 builder, bytes32 metadata)',
]);

function log(topic0: string, data: Hex, change: Partial<ChainLog> = {}): ChainLog {
  return {
    address: EXCHANGE,
    topics: [topic0, pad('0x1', { size: 32 }), pad(MAKER, { size: 32 }), pad(TAKER, { size: 32 })],
    data,
    blockNumber: 1,
    blockHash: pad('0x2', { size: 32 }),
    transactionHash: pad('0x3', { size: 32 }),
    logIndex: 0,
    removed: false,
    ...change,
  };
}
const words = (values: readonly bigint[]) =>
  encodeAbiParameters(
    values.map(() => ({ type: 'uint256' })),
    [...values],
  );
const v1 = (makerAsset: bigint, takerAsset: bigint, makerAmount: bigint, takerAmount: bigint) =>
  log(ORDER_FILLED_V1, words([makerAsset, takerAsset, makerAmount, takerAmount, 0n]));
const v2 = (side: bigint, token: bigint, makerAmount: bigint, takerAmount: bigint, fee = 7n, builder = 0n) =>
  log(ORDER_FILLED_V2, words([side, token, makerAmount, takerAmount, fee, builder, 9n]));

const token = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n });
const qty = fc.bigInt({ min: 1n, max: 10n ** 26n - 1n });
const code = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return (error as MalformedError).code;
  }
  return null;
};

describe('an OrderFilled log', () => {
  it('is decoded in version 1 like by a general ABI decoder', () => {
    fc.assert(
      fc.property(token, qty, fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean(), (id, units, part, isBuy) => {
        const usd = (units * BigInt(Math.floor(part * 1e9))) / 10n ** 9n;
        const sent = isBuy ? v1(0n, id, usd, units) : v1(id, 0n, units, usd);
        const { args } = decodeEventLog({
          abi: ABI_V1,
          data: sent.data as Hex,
          topics: sent.topics as [Hex, Hex, Hex, Hex],
        });
        const order = decodeOrderFilled(sent);
        expect(order.side).toBe(args.makerAssetId === 0n ? 'buy' : 'sell');
        expect(order.token).toBe((args.makerAssetId || args.takerAssetId).toString());
        expect(order.usd).toBe((isBuy ? args.makerAmountFilled : args.takerAmountFilled) * 10n ** 12n);
        expect(order.qty).toBe((isBuy ? args.takerAmountFilled : args.makerAmountFilled) * 10n ** 12n);
        expect([order.maker, order.taker]).toEqual([args.maker.toLowerCase(), args.taker.toLowerCase()]);
      }),
    );
  });

  it('is decoded in version 2 like by a general ABI decoder', () => {
    fc.assert(
      fc.property(token, qty, fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean(), (id, units, part, isBuy) => {
        const usd = (units * BigInt(Math.floor(part * 1e9))) / 10n ** 9n;
        const sent = isBuy ? v2(0n, id, usd, units) : v2(1n, id, units, usd);
        const { args } = decodeEventLog({
          abi: ABI_V2,
          data: sent.data as Hex,
          topics: sent.topics as [Hex, Hex, Hex, Hex],
        });
        const order = decodeOrderFilled(sent);
        expect(order.side).toBe(args.side === 0 ? 'buy' : 'sell');
        expect(order.token).toBe(args.tokenId.toString());
        expect(order.usd).toBe((isBuy ? args.makerAmountFilled : args.takerAmountFilled) * 10n ** 12n);
        expect(order.qty).toBe((isBuy ? args.takerAmountFilled : args.makerAmountFilled) * 10n ** 12n);
      }),
    );
  });

  it('states the fee and the builder of its own order in version 2 alone', () => {
    const { fee, builder } = decodeOrderFilled(v2(1n, 5n, 10n, 5n, 145_010n, 0xabn));
    expect([formatDecimal(fee!), builder]).toEqual(['0.14501', pad('0xab', { size: 32 })]);
    expect(decodeOrderFilled(v2(1n, 5n, 10n, 5n, 0n, 0n))).toMatchObject({ fee: 0n, builder: null });
    expect(decodeOrderFilled(v1(0n, 5n, 5n, 10n))).toMatchObject({ fee: null, builder: null });
    expect(code(() => decodeOrderFilled(v2(1n, 5n, 10n, 5n, 10n ** 26n)))).toBe('malformed_log');
  });

  it('is recognized by its topic, and no other event is', () => {
    expect(isOrderFilled(ORDER_FILLED_V1)).toBe(true);
    expect(isOrderFilled(ORDER_FILLED_V2)).toBe(true);
    expect(isOrderFilled(pad('0x1', { size: 32 }))).toBe(false);
    expect(isOrderFilled(undefined)).toBe(false);
  });

  it('is a trade at a price of exactly 1, but not a unit above it', () => {
    expect(formatDecimal(decodeOrderFilled(v2(0n, 5n, 1_000_000n, 1_000_000n)).usd)).toBe('1');
    expect(code(() => decodeOrderFilled(v2(0n, 5n, 1_000_001n, 1_000_000n)))).toBe('price_above_one');
  });

  it('is a trade with a quantity of 1 unit, but not with 0', () => {
    expect(formatDecimal(decodeOrderFilled(v2(1n, 5n, 1n, 0n)).qty)).toBe('0.000001');
    expect(code(() => decodeOrderFilled(v2(1n, 5n, 0n, 0n)))).toBe('zero_quantity');
  });

  it('is refused with an amount that exceeds a decimal column, but not with the largest that fits', () => {
    expect(decodeOrderFilled(v2(1n, 5n, 10n ** 26n - 1n, 0n)).qty).toBe((10n ** 26n - 1n) * 10n ** 12n);
    expect(code(() => decodeOrderFilled(v2(1n, 5n, 10n ** 26n, 0n)))).toBe('malformed_log');
  });

  it.each<[string, ChainLog]>([
    ['data one byte short', log(ORDER_FILLED_V2, `0x${'00'.repeat(223)}`)],
    ['data that is no hex', log(ORDER_FILLED_V2, `0x${'zz'.repeat(224)}`)],
    ['no data', log(ORDER_FILLED_V2, '0x')],
    ['a side that is neither', v2(2n, 5n, 1n, 1n)],
    ['collateral on both sides', v1(0n, 0n, 1n, 1n)],
    ['tokens on both sides', v1(1n, 2n, 1n, 1n)],
    ['a missing topic', log(ORDER_FILLED_V1, v1(0n, 1n, 1n, 1n).data as Hex, { topics: [ORDER_FILLED_V1] })],
    [
      'an address with something in front of it',
      log(ORDER_FILLED_V1, v1(0n, 1n, 1n, 1n).data as Hex, {
        topics: [ORDER_FILLED_V1, pad('0x1', { size: 32 }), `0x${'1'.repeat(64)}`, pad(TAKER, { size: 32 })],
      }),
    ],
  ])('is malformed with %s', (_, sent) => {
    expect(() => decodeOrderFilled(sent)).toThrow(MalformedError);
    expect(code(() => decodeOrderFilled(sent))).toBe('malformed_log');
  });
});

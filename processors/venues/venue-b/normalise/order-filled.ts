/**
 * Decodes `OrderFilled` by fixed offsets: a general ABI decoder costs some twenty times as much, and this is the only
 * event that comes by the thousand (venue page, section 7).
 */
import { type Decimal, decimalFromUnits } from '#schemas/domain/decimal';
import { CHAIN_EVENTS } from '#schemas/venues/venue-b/contracts';
import { MalformedError } from '../../shared/malformed.ts';
import type { ChainLog } from './chain-message.ts';
import { abiData, topicAddress, word } from './hex.ts';

/** Collateral and outcome tokens both have six decimals. */
const AMOUNT_DECIMALS = 6;
/** Amounts below this fit `Decimal(38,18)`. */
const AMOUNT_LIMIT = 10n ** 26n;

/** One order's part of a match, from the view of that order. */
export interface OrderFilled {
  /** The emitting contract. */
  readonly exchange: string;
  /** The account that placed the order. */
  readonly maker: string;
  /** The counterparty: the taker order's account, or the exchange itself in the taker order's own log. */
  readonly taker: string;
  readonly side: 'buy' | 'sell';
  /** The id of the outcome token in decimal digits, as everywhere else at the venue. */
  readonly token: string;
  readonly usd: Decimal;
  readonly qty: Decimal;
  /** In USD; null in version 1, whose logs overstate it. */
  readonly fee: Decimal | null;
  /** Null without a builder, and in version 1, which has none. */
  readonly builder: string | null;
}

/** True if a log with this topic is an `OrderFilled` of any version. */
export function isOrderFilled(topic0: unknown): boolean {
  return topic0 === CHAIN_EVENTS.orderFilledV1 || topic0 === CHAIN_EVENTS.orderFilledV2;
}

/**
 * Decodes a log for which `isOrderFilled` holds. Throws `MalformedError`: `malformed_log` for wrong topics or data,
 * `zero_quantity` and `price_above_one` for amounts that do not fit a token worth between 0 and 1 USD.
 */
export function decodeOrderFilled(log: ChainLog): OrderFilled {
  const terms = log.topics[0] === CHAIN_EVENTS.orderFilledV1 ? termsV1(log) : termsV2(log);
  const { side, token, makerAmount, takerAmount, feeUnits, builder } = terms;
  const usdUnits = side === 'buy' ? makerAmount : takerAmount;
  const qtyUnits = side === 'buy' ? takerAmount : makerAmount;
  if (qtyUnits === 0n) throw new MalformedError('zero_quantity', `usd ${usdUnits}, quantity 0`);
  if (usdUnits > qtyUnits) throw new MalformedError('price_above_one', `usd ${usdUnits}, quantity ${qtyUnits}`);
  if (qtyUnits >= AMOUNT_LIMIT) throw new MalformedError('malformed_log', `quantity ${qtyUnits} is too large`);
  if (feeUnits !== null && feeUnits >= AMOUNT_LIMIT)
    throw new MalformedError('malformed_log', `fee ${feeUnits} is too large`);
  return {
    exchange: log.address,
    maker: topicAddress(log.topics[2], 'topics[2]', 'malformed_log'),
    taker: topicAddress(log.topics[3], 'topics[3]', 'malformed_log'),
    side,
    token: token.toString(),
    usd: decimalFromUnits(usdUnits, AMOUNT_DECIMALS),
    qty: decimalFromUnits(qtyUnits, AMOUNT_DECIMALS),
    fee: feeUnits === null ? null : decimalFromUnits(feeUnits, AMOUNT_DECIMALS),
    builder: builder === 0n ? null : `0x${builder.toString(16).padStart(64, '0')}`,
  };
}

interface Terms {
  readonly side: 'buy' | 'sell';
  readonly token: bigint;
  readonly makerAmount: bigint;
  readonly takerAmount: bigint;
  readonly feeUnits: bigint | null;
  /** 0 is none. */
  readonly builder: bigint;
}

/** Words: makerAssetId, takerAssetId, makerAmountFilled, takerAmountFilled, fee. Asset 0 is collateral. */
function termsV1(log: ChainLog): Terms {
  const data = abiData(log.data, 5, 'malformed_log');
  const makerAsset = word(data, 0);
  const takerAsset = word(data, 1);
  if ((makerAsset === 0n) === (takerAsset === 0n)) {
    throw new MalformedError('malformed_log', 'one of makerAssetId and takerAssetId must be collateral');
  }
  return {
    side: makerAsset === 0n ? 'buy' : 'sell',
    token: makerAsset === 0n ? takerAsset : makerAsset,
    makerAmount: word(data, 2),
    takerAmount: word(data, 3),
    feeUnits: null,
    builder: 0n,
  };
}

/** Words: side, tokenId, makerAmountFilled, takerAmountFilled, fee, builder, metadata. */
function termsV2(log: ChainLog): Terms {
  const data = abiData(log.data, 7, 'malformed_log');
  const side = word(data, 0);
  if (side > 1n) throw new MalformedError('malformed_log', `side ${side}`);
  return {
    side: side === 0n ? 'buy' : 'sell',
    token: word(data, 1),
    makerAmount: word(data, 2),
    takerAmount: word(data, 3),
    feeUnits: word(data, 4),
    builder: word(data, 5),
  };
}

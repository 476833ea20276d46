/** Reads fills of an account (venue page, section 4), as responses of `info` and files of a node contain them. */
import {
  FieldError,
  isJsonObject,
  type JsonObject,
  optionalField,
  readAmount,
  readDecimal,
  readFlag,
  readInteger,
  readList,
  readObject,
  readText,
  withPath,
} from '../../domain/json-fields.ts';
import type { FillList, VenueAFill } from '../../topics/account-fills.ts';
import { providerOf } from './coin-market.ts';
import { isOutcomeCoin } from './outcome-coin.ts';
import { isSpotCoin } from './spot-coin.ts';

/** Types of the requests for the fills of an account, by list. */
export const FILL_REQUESTS = {
  orders: 'userFillsByTime',
  twaps: 'userTwapSliceFillsByTime',
} as const satisfies Readonly<Record<FillList, string>>;
/** The venue returns at most so many fills in one response. */
export const FILLS_OF_PAGE = 2_000;
/** Tokens in which prices are quoted; each counts as one USD. */
export const QUOTE_TOKENS: ReadonlySet<string> = new Set(['USDC', 'USDH', 'USDE', 'USDT0']);

const DEFAULT_FEE_TOKEN = 'USDC';

/** The body of the request for all fills of an account from a time on. */
export function fillRequest(list: FillList, user: string, startTime: number) {
  return { type: FILL_REQUESTS[list], user, startTime };
}

/** Returns the name of the base token of a spot pair; null if it is not known. */
export type BaseOf = (coin: string) => string | null;

/** Reads the fills of a response; slices of TWAP orders are wrapped. Throws `FieldError`. */
export function readFills(list: FillList, body: unknown, baseOf: BaseOf): readonly VenueAFill[] {
  return readList(body, 'answer').map((row, at) => {
    try {
      return readFill(list === 'twaps' ? readObject(row, 'row').fill : row, baseOf);
    } catch (error) {
      throw withPath(error, `answer[${at}]`);
    }
  });
}

/** Reads one fill. Throws `FieldError`. */
export function readFill(value: unknown, baseOf: BaseOf): VenueAFill {
  const fill = readObject(value, 'fill');
  const coin = readText(fill.coin, 'coin');
  const side = readSide(fill.side);
  const feeToken = optionalField(fill, 'feeToken', readText) ?? DEFAULT_FEE_TOKEN;
  return {
    provider: providerOf(coin),
    coin,
    time: readInteger(fill.time, 'time'),
    side,
    role: readFlag(fill.crossed, 'crossed') ? 'taker' : 'maker',
    price: readAmount(fill.px, 'px'),
    qty: readAmount(fill.sz, 'sz'),
    startPosition: readDecimal(fill.startPosition, 'startPosition'),
    dir: readText(fill.dir, 'dir'),
    closedPnl: readDecimal(fill.closedPnl, 'closedPnl'),
    hash: readText(fill.hash, 'hash'),
    tid: optionalField(fill, 'tid', readInteger) ?? null,
    oid: readInteger(fill.oid, 'oid'),
    fee: readDecimal(fill.fee, 'fee'),
    feeToken,
    isFeeTraded: isFeeTraded({ coin, side, feeToken }, baseOf),
    builderFee: optionalField(fill, 'builderFee', readDecimal) ?? null,
    builder: optionalField(fill, 'builder', readText)?.toLowerCase() ?? null,
    ...readLiquidation(fill),
  };
}

/** The id of a fill's trade. Fills of 2023 lack the venue's id, so their order and position identify them. */
export function fillId({ provider, coin, time, tid, oid, startPosition }: VenueAFill): string {
  return `${provider}:${coin}:${time}:${tid ?? `${oid}@${startPosition}`}`;
}

function readSide(value: unknown): 'buy' | 'sell' {
  if (value === 'B') return 'buy';
  if (value === 'A') return 'sell';
  throw new FieldError('side', 'B or A', value);
}

/**
 * True if the fee was paid in the token that was bought or sold, so that its value follows from the price. A quote token
 * is worth one USD; only a purchase of one is paid in what was bought.
 */
export function isFeeTraded(
  { coin, side, feeToken }: Pick<VenueAFill, 'coin' | 'side' | 'feeToken'>,
  baseOf: BaseOf,
): boolean {
  return (side === 'buy' || !QUOTE_TOKENS.has(feeToken)) && isTradedToken(coin, feeToken, baseOf);
}

/** True for the token that is bought and sold with a coin. */
function isTradedToken(coin: string, feeToken: string, baseOf: BaseOf): boolean {
  if (isOutcomeCoin(coin)) return feeToken === `+${coin.slice(1)}`;
  if (!isSpotCoin(coin)) return false;
  const base = coin.includes('/') ? coin.slice(0, coin.indexOf('/')) : baseOf(coin);
  // A pair that was never listed while the service ran: purchases pay in the bought token.
  return base === null ? !QUOTE_TOKENS.has(feeToken) : feeToken === base;
}

type Liquidation = Pick<VenueAFill, 'liquidatedUser' | 'liquidationMark' | 'liquidationMethod'>;

function readLiquidation({ liquidation }: JsonObject): Liquidation {
  if (!isJsonObject(liquidation)) return { liquidatedUser: null, liquidationMark: null, liquidationMethod: null };
  return {
    liquidatedUser: optionalField(liquidation, 'liquidatedUser', readText)?.toLowerCase() ?? null,
    liquidationMark: readAmount(liquidation.markPx, 'liquidation.markPx'),
    liquidationMethod: readText(liquidation.method, 'liquidation.method'),
  };
}

/** The value of an account of venue_b: its positions at the venue's prices, and its cash on chain (venue_b page, section 4). */
import { type Decimal, decimalFromUnits, divideHalfEven, formatDecimal, multiply, UNIT, ZERO } from '../decimal.ts';
import { FieldError, readList, readText } from '../json-fields.ts';
import { jsonElements, jsonMembers } from '../json-members.ts';
import { sumOf } from './venue-a-account.ts';

/** Rows of one page of `/positions`, and the largest offset that the venue serves. */
export const POSITIONS_PAGE = 500;
export const POSITIONS_OFFSET_MAX = 10_000;
const COLLATERAL_DECIMALS = 6;

export interface VenueBPosition {
  /** The outcome token. */
  readonly asset: string;
  readonly size: Decimal;
  readonly price: Decimal;
  /** True once the outcome is known: the price is the payout. */
  readonly redeemable: boolean;
}

export interface VenueBValue {
  /** Null without positions. */
  readonly valueUsd: Decimal | null;
  readonly availableUsd: Decimal;
  readonly navUsd: Decimal;
}

/**
 * Reads all pages of `/positions` in their order, as texts. Numbers have the exact decimals as written. Throws a
 * `FieldError` for a missing figure, for a token that is listed twice (a repeated page), and for pages that are not all
 * of them.
 */
export function readVenueBPositions(pages: readonly string[]): VenueBPosition[] {
  const rows = pages.map((page, at) => rowsOf(page, `page ${at}`));
  for (const [at, page] of rows.entries()) {
    const isLast = at === rows.length - 1;
    if (isLast ? page.length >= POSITIONS_PAGE : page.length !== POSITIONS_PAGE)
      throw new FieldError(`page ${at}`, isLast ? 'fewer rows than a page has' : 'a full page', page.length);
  }
  const positions = rows.flat();
  const assets = new Set<string>();
  for (const { asset } of positions) {
    if (assets.has(asset)) throw new FieldError('asset', 'a token once', asset);
    assets.add(asset);
  }
  return positions;
}

function rowsOf(page: string, field: string): VenueBPosition[] {
  readList(parsed(page), field);
  return jsonElements(page).map(({ start, end }, at) => {
    const row = page.slice(start, end);
    const { members } = jsonMembers(row);
    const textOf = (name: string) => {
      const range = members.get(name);
      return range ? row.slice(range.start, range.end) : '';
    };
    const place = `${field}[${at}]`;
    return {
      asset: readText(parsed(textOf('asset')), `${place}.asset`),
      size: readUpTo(SIZE_MAX, textOf('size'), `${place}.size`),
      price: readUpTo(UNIT, textOf('curPrice'), `${place}.curPrice`),
      redeemable: textOf('redeemable') === 'true',
    };
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** More than there is of any token, and little enough that all positions of an account sum to a decimal. */
const SIZE_MAX = (10n ** 15n * UNIT) as Decimal;

function readUpTo(max: Decimal, text: string, field: string): Decimal {
  const value = readJsonNumber(text, field);
  if (value < ZERO || value > max) throw new FieldError(field, `a number from 0 to ${formatDecimal(max)}`, text);
  return value;
}

const NUMBER = /^"?(-)?(\d{1,20})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,2}))?"?$/;

/** Reads a JSON number, or text with one, exactly as written; half to even beyond 18 decimals. */
export function readJsonNumber(text: string, field: string): Decimal {
  const parts = NUMBER.exec(text);
  if (!parts) throw new FieldError(field, 'a number', text === '' ? undefined : text);
  const [, sign, integer = '0', fraction = '', exponent = '0'] = parts;
  const digits = BigInt(integer + fraction);
  const shift = 18 - fraction.length + Number(exponent);
  const scaled = shift >= 0 ? digits * 10n ** BigInt(shift) : divideHalfEven(digits, 10n ** BigInt(-shift));
  if (scaled >= 10n ** 38n) throw new FieldError(field, 'a number below 10^20', text);
  return (sign ? -scaled : scaled) as Decimal;
}

/** Reads the result of `balanceOf` of a collateral token: 32 bytes as hex. */
export function readCollateralBalance(result: unknown, field: string): Decimal {
  if (typeof result !== 'string' || !/^0x[0-9a-f]{64}$/i.test(result)) throw new FieldError(field, '32 bytes', result);
  const balance = decimalFromUnits(BigInt(result), COLLATERAL_DECIMALS);
  if (balance > SIZE_MAX) throw new FieldError(field, `at most ${formatDecimal(SIZE_MAX)}`, result);
  return balance;
}

/** Sum of size times price, each half to even at 18 decimals, and the cash. */
export function valueVenueBAccount(
  positions: readonly Pick<VenueBPosition, 'size' | 'price'>[],
  cash: readonly Decimal[],
): VenueBValue {
  const availableUsd = sumOf(cash);
  const valueUsd = positions.length === 0 ? null : sumOf(positions.map(({ size, price }) => multiply(size, price)));
  return { valueUsd, availableUsd, navUsd: ((valueUsd ?? ZERO) + availableUsd) as Decimal };
}

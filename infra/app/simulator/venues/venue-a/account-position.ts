/** A position of an account, its figures, and the texts of price, size and order that all answers about it share. */
import type { Ladder } from '../../world/ladders.ts';
import { amountText } from '../../world/number-text.ts';
import { UNIT } from './cash.ts';

const TAKER_FEE = 0.00045;

/** A position of one account. */
export interface Position {
  readonly account: number;
  readonly ladder: Ladder;
  readonly nth: number;
  readonly openedAt: number;
  readonly closedAt: number;
  /** Coins; negative for a short position. */
  readonly size: number;
  readonly openPx: number;
  readonly closePx: number;
  readonly isLiquidated: boolean;
  readonly isTwap: boolean;
  /** Address of the builder under which it is traded; null without one. */
  readonly builder: string | null;
}

export const priceText = ({ maxDecimals }: Ladder, px: number) => amountText(px, Math.min(maxDecimals, 4));
export const sizeText = ({ szDecimals }: Ladder, size: number) => amountText(Math.abs(size), szDecimals);
export const orderId = ({ account, nth }: Position, salt: number) => (nth * 1_000 + account) * 4 + salt;

/** Whole millionths of USD. */
export const profitUnits = ({ size, openPx, closePx }: Position) => Math.round(size * (closePx - openPx) * UNIT);
export const feeUnits = ({ size }: Position, px: number) => Math.round(Math.abs(size) * px * TAKER_FEE * UNIT);

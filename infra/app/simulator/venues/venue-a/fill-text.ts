/** Fills that open and close a position (venue page, section 4). */
import { amountText } from '../../world/number-text.ts';
import { feeUnits, orderId, type Position, priceText, profitUnits, sizeText } from './account-position.ts';
import { usdText } from './cash.ts';

/** The builder's part of a fee. */
const BUILDER_PART = 1 / 3;
const ZERO_HASH = `0x${'0'.repeat(64)}`;

export type AccountFill = ReturnType<typeof openFill>;

export function openFill(position: Position) {
  const { ladder, size, openPx, openedAt } = position;
  return {
    ...fillOf(position, openPx, openedAt, 0),
    side: size > 0 ? 'B' : 'A',
    startPosition: '0.0',
    dir: size > 0 ? 'Open Long' : 'Open Short',
    closedPnl: '0.0',
    sz: sizeText(ladder, size),
  };
}

export function closeFill(position: Position, user: string) {
  const { ladder, size, closePx, closedAt, isLiquidated } = position;
  return {
    ...fillOf(position, closePx, closedAt, 1),
    side: size > 0 ? 'A' : 'B',
    startPosition: amountText(size, ladder.szDecimals),
    dir: size > 0 ? 'Close Long' : 'Close Short',
    closedPnl: usdText(profitUnits(position)),
    sz: sizeText(ladder, size),
    ...(isLiquidated
      ? { liquidation: { liquidatedUser: user, markPx: priceText(ladder, closePx), method: 'market' } }
      : {}),
  };
}

/** A node names the builder, which responses leave out. */
export function asNodeStates({ builder }: Position, fill: AccountFill) {
  return builder === null ? fill : { ...fill, builder };
}

function fillOf(position: Position, px: number, time: number, salt: number) {
  const { ladder, isTwap, nth, builder } = position;
  return {
    coin: ladder.coin,
    px: priceText(ladder, px),
    time,
    hash: ZERO_HASH,
    oid: orderId(position, salt),
    crossed: true,
    fee: usdText(feeUnits(position, px)),
    tid: orderId(position, salt) * 2 + 1,
    feeToken: 'USDC',
    twapId: isTwap ? nth : null,
    ...(builder === null ? {} : { builderFee: usdText(Math.round(feeUnits(position, px) * BUILDER_PART)) }),
  };
}

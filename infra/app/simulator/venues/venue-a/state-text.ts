/** `clearinghouseState`: the positions of an account at their marks (venue page, section 3.2). */
import { amountText } from '../../world/number-text.ts';
import { type Position, priceText } from './account-position.ts';

export const LEVERAGE = 10;

/** A position at its mark price. */
export interface Marked {
  readonly position: Position;
  readonly px: number;
}

const sumOf = (marked: readonly Marked[], figure: (entry: Marked) => number) =>
  marked.reduce((total, entry) => total + figure(entry), 0);
export const notionalOf = (marked: readonly Marked[]) =>
  sumOf(marked, ({ position, px }) => Math.abs(position.size) * px);
export const pnlOf = (marked: readonly Marked[]) =>
  sumOf(marked, ({ position, px }) => position.size * (px - position.openPx));

export function stateOf(marked: readonly Marked[], cash: number, atMs: number) {
  const [notional, pnl] = [notionalOf(marked), pnlOf(marked)];
  const summary = {
    accountValue: amountText(cash + pnl, 6),
    totalNtlPos: amountText(notional, 6),
    totalRawUsd: amountText(cash - sumOf(marked, ({ position }) => position.size * position.openPx), 6),
    totalMarginUsed: amountText(notional / LEVERAGE, 6),
  };
  return {
    marginSummary: summary,
    crossMarginSummary: summary,
    crossMaintenanceMarginUsed: amountText(notional / LEVERAGE / 2, 6),
    withdrawable: amountText(Math.max(0, cash + pnl - notional / LEVERAGE), 6),
    assetPositions: marked.map(({ position, px }) => ({ type: 'oneWay', position: positionText(position, px) })),
    time: atMs,
  };
}

function positionText(position: Position, px: number) {
  const { ladder, size, openPx } = position;
  const value = Math.abs(size) * px;
  const pnl = size * (px - openPx);
  const cumFunding = { allTime: '0.0', sinceOpen: '0.0', sinceChange: '0.0' };
  return {
    coin: ladder.coin,
    szi: amountText(size, ladder.szDecimals),
    leverage: { type: 'cross', value: LEVERAGE },
    entryPx: priceText(ladder, openPx),
    positionValue: amountText(value, 6),
    unrealizedPnl: amountText(pnl, 6),
    returnOnEquity: amountText((pnl * LEVERAGE) / (Math.abs(size) * openPx), 10),
    liquidationPx: null,
    marginUsed: amountText(value / LEVERAGE, 6),
    maxLeverage: 20,
    cumFunding,
  };
}

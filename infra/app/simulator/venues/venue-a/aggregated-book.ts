import type { LevelBook } from '../../world/ladder-book.ts';
import { pointText } from '../../world/number-text.ts';
import type { Market, Markets } from './market.ts';

/** Raw levels from which an aggregated book is calculated. */
const RAW_LEVELS = 400;
const DEPTH = 20;

/** True if the venue accepts the pair: 2 to 5 figures, and a mantissa of 1, 2 or 5 only with 5 figures. */
export function isAggregation(nSigFigs: unknown, mantissa: unknown): boolean {
  if (nSigFigs !== 2 && nSigFigs !== 3 && nSigFigs !== 4 && nSigFigs !== 5) return false;
  return mantissa === null || (nSigFigs === 5 && (mantissa === 1 || mantissa === 2 || mantissa === 5));
}

function sideText(
  px: Float64Array,
  sz: Float64Array,
  count: Int32Array,
  depth: number,
  step: number,
  isBid: boolean,
  book: LevelBook,
): string {
  const levels: string[] = [];
  let at = 0;
  while (at < depth && levels.length < DEPTH) {
    // Bids are rounded down and asks up, so that the sides never cross.
    const place = isBid ? Math.floor(px[at]! / step) : Math.ceil(px[at]! / step);
    let size = 0;
    let orders = 0;
    for (; at < depth && (isBid ? Math.floor(px[at]! / step) : Math.ceil(px[at]! / step)) === place; at += 1) {
      size += sz[at]!;
      orders += count[at]!;
    }
    const price = pointText(place * step, book.priceDecimals);
    levels.push(`{"px":"${price}","sz":"${pointText(size, book.sizeDecimals)}","n":${orders}}`);
  }
  return `[${levels.join(',')}]`;
}

/** A book with levels aggregated to `nSigFigs` significant figures, and the raw `spread` (venue page, 3.1). */
export function aggregatedBookText(
  markets: Markets,
  market: Market,
  nSigFigs: number,
  mantissa: number | null,
  atMs: number,
): string {
  const { book, timeMs } = markets.bookAt(market, atMs, RAW_LEVELS);
  const figures = String(book.bidPx[0]!).length;
  const step = Math.max(1, 10 ** Math.max(0, figures - nSigFigs) * (mantissa ?? 1));
  const bids = sideText(book.bidPx, book.bidSz, book.bidCount, book.bidDepth, step, true, book);
  const asks = sideText(book.askPx, book.askSz, book.askCount, book.askDepth, step, false, book);
  const spread = pointText(book.askPx[0]! - book.bidPx[0]!, book.priceDecimals);
  return `{"coin":"${market.coin}","time":${timeMs},"levels":[${bids},${asks}],"spread":"${spread}"}`;
}

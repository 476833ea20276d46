/** Counts the trades of one market in one minute. */
import { type Decimal, UNIT, ZERO } from '#schemas/domain/decimal';
import type { Trade } from '#schemas/topics/normalised';
import type { TradeBucket } from './state.ts';

export function createBucket(): TradeBucket {
  return { volume: ZERO, trades: 0, fills: new Map(), pending: 0 };
}

/** @param sign 1 adds the trade, -1 removes it. */
export function count(bucket: TradeBucket, { maker, taker }: Trade, qty: Decimal, sign: 1 | -1): void {
  bucket.volume = (bucket.volume + BigInt(sign) * qty) as Decimal;
  bucket.trades += sign;
  // A wallet that traded with itself has one fill.
  for (const wallet of new Set([maker, taker])) {
    if (wallet === null) continue;
    const fills = (bucket.fills.get(wallet) ?? 0) + sign;
    if (fills === 0) bucket.fills.delete(wallet);
    else bucket.fills.set(wallet, fills);
  }
}

/** Returns the volume; null without a trade, because a minute in which all trades were reverted has no data. */
export function volumeOf({ volume, trades }: TradeBucket): Decimal | null {
  return trades === 0 ? null : volume;
}

export interface Busiest {
  readonly wallet: string;
  /** Number of fills, as a decimal. */
  readonly fills: Decimal;
}

/** Returns the wallet with most fills, the one that sorts first of equals; null if no trade names a wallet. */
export function busiestOf({ fills }: TradeBucket): Busiest | null {
  let wallet: string | null = null;
  let most = 0;
  for (const [name, number] of fills) {
    if (number < most || (number === most && wallet !== null && name > wallet)) continue;
    wallet = name;
    most = number;
  }
  return wallet === null ? null : { wallet, fills: (BigInt(most) * UNIT) as Decimal };
}
